// strides_by_hand: the arithmetic of a view.
//
// WHAT   Compute the strides of a shape, the memory slot of an element, and
//        the shape, strides and offset of a view after permuting its axes,
//        slicing, reversing an axis, and expanding one.
// WHY    These operations take no time, because they never touch the elements.
//        But a single wrong stride silently shows different elements. Strides
//        may be 0 or negative; the resulting slots are never negative.
// READ   Strides
// CHECK  cargo learn check strides_by_hand

/// A view of memory: element [i, j] is in slot
/// offset + i * strides[0] + j * strides[1].
#[derive(Clone, Debug)]
pub struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// Returns the row-major strides of a shape: the last axis has stride 1. The
/// strides of [2, 3] are [3, 1], and the strides of a scalar, [], are [].
pub fn strides(shape: &[usize]) -> Vec<isize> {
    todo!("TODO(strides_by_hand): the distance between adjacent elements")
}

/// Returns the slot of the element at `index`, which has one number per axis.
pub fn slot(view: &View, index: &[usize]) -> usize {
    todo!("TODO(strides_by_hand): the slot of an element")
}

/// Reorders the axes: axis k of the result is axis `axes[k]` of `view`.
pub fn permute(view: &View, axes: &[usize]) -> View {
    todo!("TODO(strides_by_hand): reorder the axes")
}

/// Takes a part of one axis, the elements `from..to`.
pub fn slice(view: &View, axis: usize, from: usize, to: usize) -> View {
    todo!("TODO(strides_by_hand): a part of one axis")
}

/// Reverses one axis, which has at least one element.
pub fn flip(view: &View, axis: usize) -> View {
    todo!("TODO(strides_by_hand): reverse one axis")
}

/// Repeats an axis of size 1 `times` times.
pub fn expand(view: &View, axis: usize, times: usize) -> View {
    todo!("TODO(strides_by_hand): repeat one axis")
}
