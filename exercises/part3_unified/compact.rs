// compact: copy a view to contiguous memory.
//
// WHAT   Return the elements of a view in row-major order: the last index
//        varies fastest.
// WHY    All other operations can fall back on this copy. An operation that
//        needs contiguous elements calls it first, and then works on every
//        view: transposed, reversed, expanded, sliced, without axes, without
//        elements.
// READ   Strides
// CHECK  cargo learn check compact

/// Copies the elements of a view of `memory`. Element [i, j] is at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element of
/// the view is within `memory`.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    // There are two ways. One increments an index like an odometer, the
    // last axis fastest. The other computes the index from the position n:
    // n % size is the index along the last axis, and n / size is the
    // position for the remaining axes.
    todo!("TODO(compact): the elements in order")
}
