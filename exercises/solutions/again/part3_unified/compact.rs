// compact, again: a view, copied column by column.
//
// WHAT   The elements that a view shows, one after another: the first axis
//        runs fastest, as in Fortran.
// READ   Strides
// CHECK  cargo learn again compact

/// Copies the elements of a view of `memory`. Element [i, j] lies at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element that
/// the view shows lies inside.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    // HOLE
    //| todo!("TODO(compact): the elements in a row")
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
