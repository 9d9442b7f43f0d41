// compact, again: copy a view column by column.
//
// WHAT   Return the elements of a view in column-major order: the first index
//        varies fastest, as in Fortran.
// READ   Strides
// CHECK  cargo learn again compact

/// Copies the elements of a view of `memory`. Element [i, j] is at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element of
/// the view is within `memory`.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    // HOLE
    //| todo!("TODO(compact): the elements in order")
    let count: usize = shape.iter().product();
    let element = |n: usize| {
        let (mut rest, mut at) = (n, offset as isize);
        for (&size, &stride) in shape.iter().zip(strides) {
            at += (rest % size) as isize * stride;
            rest /= size;
        }
        memory[at as usize]
    };
    (0..count).map(element).collect()
    // END HOLE
}
