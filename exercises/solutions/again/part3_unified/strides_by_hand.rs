// strides_by_hand, again: columns that lie one after another.
//
// WHAT   The strides of a shape in column-major order, as Fortran and Julia
//        have it. What becomes of a view when its axes change places, when a
//        part is cut out, when an axis runs backwards and when one is repeated
//        does not depend on the order, and is done already.
// READ   Strides
// CHECK  cargo learn again strides_by_hand

/// A way to walk memory: element [i, j] lies in slot
/// offset + i * strides[0] + j * strides[1].
#[derive(Clone, Debug)]
pub struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// Computes the strides of a shape whose columns lie one after another: the
/// first axis is dense. Those of [2, 3] are [1, 2], and those of a scalar, [],
/// are [].
pub fn strides(shape: &[usize]) -> Vec<isize> {
    // HOLE
    //| todo!("TODO(strides_by_hand): how far apart neighbors lie")
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1] as isize;
    }
    strides
    // END HOLE
}

/// Finds the slot of the element at `index`, which has a number for each axis.
pub fn slot(view: &View, index: &[usize]) -> usize {
    let mut slot = view.offset as isize;
    for (i, stride) in index.iter().zip(&view.strides) {
        slot += *i as isize * stride;
    }
    slot as usize
}

/// Puts the axes into another order: axis k of the result is axis `axes[k]` of
/// `view`.
pub fn permute(view: &View, axes: &[usize]) -> View {
    View {
        shape: axes.iter().map(|&axis| view.shape[axis]).collect(),
        strides: axes.iter().map(|&axis| view.strides[axis]).collect(),
        offset: view.offset,
    }
}

/// Takes a part of one axis: from element `from` to the last before `to`.
pub fn slice(view: &View, axis: usize, from: usize, to: usize) -> View {
    let mut part = view.clone();
    part.shape[axis] = to - from;
    let way = from as isize * view.strides[axis];
    part.offset = (view.offset as isize + way) as usize;
    part
}

/// Turns one axis backwards. It has at least one element.
pub fn flip(view: &View, axis: usize) -> View {
    let mut back = view.clone();
    let way = (view.shape[axis] as isize - 1) * view.strides[axis];
    back.offset = (view.offset as isize + way) as usize;
    back.strides[axis] = -view.strides[axis];
    back
}

/// Shows an axis of size 1 `times` times.
pub fn expand(view: &View, axis: usize, times: usize) -> View {
    let mut wide = view.clone();
    wide.shape[axis] = times;
    wide.strides[axis] = 0;
    wide
}
