// From slot 0, wherever the view begins.

/// Copies the elements of a view of `memory`. Element [i, j] lies at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element that
/// the view shows lies inside.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    let count: usize = shape.iter().product();
    let element = |n: usize| {
        let (mut rest, mut at) = (n, 0);
        for (&size, &stride) in shape.iter().zip(strides).rev() {
            at += (rest % size) as isize * stride;
            rest /= size;
        }
        memory[at as usize]
    };
    (0..count).map(element).collect()
}
