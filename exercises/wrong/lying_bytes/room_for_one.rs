// The seed is mended, and a result still has four bytes.

/// Returns the bytes from which a kernel's `global const float *` reads
/// `values`.
pub fn bytes_of(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|&value| (value as f32).to_ne_bytes()).collect()
}

/// Counts the bytes that a result of `n` floats needs.
pub fn room(n: usize) -> usize {
    4
}

/// Reads the numbers that a kernel has written through a `global float *`.
pub fn values_of(bytes: &[u8]) -> Vec<f64> {
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|number| f32::from_ne_bytes(*number).into()).collect()
}
