// strides_by_hand, again: column-major order.
//
// WHAT   Return the strides of a shape in column-major order, as in Fortran
//        and Julia. The other operations (permuting axes, slicing, reversing
//        an axis, expanding one) do not depend on the order and are already
//        written.
// READ   Strides
// CHECK  cargo learn again strides_by_hand

/// A view of memory: element [i, j] is in slot
/// offset + i * strides[0] + j * strides[1].
#[derive(Clone, Debug)]
pub struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// Returns the column-major strides of a shape: the first axis has stride 1.
/// The strides of [2, 3] are [1, 2], and the strides of a scalar, [], are [].
pub fn strides(shape: &[usize]) -> Vec<isize> {
    // HOLE
    //| todo!("TODO(strides_by_hand): the distance between adjacent elements")
    let mut strides = vec![1; shape.len()];
    for axis in 1..shape.len() {
        strides[axis] = strides[axis - 1] * shape[axis - 1] as isize;
    }
    strides
    // END HOLE
}

/// Returns the slot of the element at `index`, which has one number per axis.
pub fn slot(view: &View, index: &[usize]) -> usize {
    let mut slot = view.offset as isize;
    for (i, stride) in index.iter().zip(&view.strides) {
        slot += *i as isize * stride;
    }
    slot as usize
}

/// Reorders the axes: axis k of the result is axis `axes[k]` of `view`.
pub fn permute(view: &View, axes: &[usize]) -> View {
    View {
        shape: axes.iter().map(|&axis| view.shape[axis]).collect(),
        strides: axes.iter().map(|&axis| view.strides[axis]).collect(),
        offset: view.offset,
    }
}

/// Takes a part of one axis, the elements `from..to`.
pub fn slice(view: &View, axis: usize, from: usize, to: usize) -> View {
    let mut part = view.clone();
    part.shape[axis] = to - from;
    let way = from as isize * view.strides[axis];
    part.offset = (view.offset as isize + way) as usize;
    part
}

/// Reverses one axis, which has at least one element.
pub fn flip(view: &View, axis: usize) -> View {
    let mut back = view.clone();
    let way = (view.shape[axis] as isize - 1) * view.strides[axis];
    back.offset = (view.offset as isize + way) as usize;
    back.strides[axis] = -view.strides[axis];
    back
}

/// Repeats an axis of size 1 `times` times.
pub fn expand(view: &View, axis: usize, times: usize) -> View {
    let mut wide = view.clone();
    wide.shape[axis] = times;
    wide.strides[axis] = 0;
    wide
}
