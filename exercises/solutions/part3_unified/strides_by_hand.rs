// strides_by_hand: the arithmetic of a view.
//
// WHAT   The strides of a shape, the slot of an element, and what becomes of
//        shape, strides and offset when the axes change places, when a part
//        is cut out, when an axis runs backwards and when one is repeated.
// WHY    Nothing here touches a number in memory, and so nothing here takes
//        time. But one stride that is wrong shows other elements, in silence.
//        Strides may be 0 or negative; the slots that come out never are.
// READ   Strides
// CHECK  cargo learn check strides_by_hand

/// A way to walk memory: element [i, j] lies in slot
/// offset + i * strides[0] + j * strides[1].
#[derive(Clone, Debug)]
pub struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// Computes the strides of a shape whose rows lie one after another: the last
/// axis is dense. Those of [2, 3] are [3, 1], and those of a scalar, [], are
/// [].
pub fn strides(shape: &[usize]) -> Vec<isize> {
    // HOLE
    //| todo!("TODO(strides_by_hand): how far apart neighbors lie")
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
    // END HOLE
}

/// Finds the slot of the element at `index`, which has a number for each axis.
pub fn slot(view: &View, index: &[usize]) -> usize {
    // HOLE
    //| todo!("TODO(strides_by_hand): the slot of an element")
    let mut slot = view.offset as isize;
    for (i, stride) in index.iter().zip(&view.strides) {
        slot += *i as isize * stride;
    }
    slot as usize
    // END HOLE
}

/// Puts the axes into another order: axis k of the result is axis `axes[k]` of
/// `view`.
pub fn permute(view: &View, axes: &[usize]) -> View {
    // HOLE
    //| todo!("TODO(strides_by_hand): the axes in another order")
    View {
        shape: axes.iter().map(|&axis| view.shape[axis]).collect(),
        strides: axes.iter().map(|&axis| view.strides[axis]).collect(),
        offset: view.offset,
    }
    // END HOLE
}

/// Takes a part of one axis: from element `from` to the last before `to`.
pub fn slice(view: &View, axis: usize, from: usize, to: usize) -> View {
    // HOLE
    //| todo!("TODO(strides_by_hand): a part of one axis")
    let mut part = view.clone();
    part.shape[axis] = to - from;
    let way = from as isize * view.strides[axis];
    part.offset = (view.offset as isize + way) as usize;
    part
    // END HOLE
}

/// Turns one axis backwards. It has at least one element.
pub fn flip(view: &View, axis: usize) -> View {
    // HOLE
    //| todo!("TODO(strides_by_hand): one axis backwards")
    let mut back = view.clone();
    let way = (view.shape[axis] as isize - 1) * view.strides[axis];
    back.offset = (view.offset as isize + way) as usize;
    back.strides[axis] = -view.strides[axis];
    back
    // END HOLE
}

/// Shows an axis of size 1 `times` times.
pub fn expand(view: &View, axis: usize, times: usize) -> View {
    // HOLE
    //| todo!("TODO(strides_by_hand): one axis, repeated")
    let mut wide = view.clone();
    wide.shape[axis] = times;
    wide.strides[axis] = 0;
    wide
    // END HOLE
}
