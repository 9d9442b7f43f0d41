// An odometer that looks at its first element before it asks whether there is
// one.

/// Copies the elements of a view of `memory`. Element [i, j] lies at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element that
/// the view shows lies inside.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    let mut index = vec![0; shape.len()];
    let mut found = Vec::new();
    loop {
        let ways = index.iter().zip(strides).map(|(i, s)| i * s);
        let at = offset as isize + ways.sum::<isize>();
        found.extend(memory.get(at as usize));
        let mut axis = shape.len();
        loop {
            if axis == 0 {
                return found;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < shape[axis] as isize {
                break;
            }
            index[axis] = 0;
        }
    }
}
