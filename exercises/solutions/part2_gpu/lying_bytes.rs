// lying_bytes: the bytes that a kernel reads.
//
// WHAT   Three functions connect your numbers to a kernel that declares
//        `float`: which bytes are written to the device, how large the
//        result's memory is, and how the result is read. They currently do
//        what the notebook did. Remove the `todo!`, read the verdict, and fix
//        the functions.
// WHY    A driver copies bytes without knowing what they mean. If the host and
//        the kernel interpret them differently, there is no error, and every
//        gradient is 0 or some other wrong number.
// READ   Bytes and a promise
// CHECK  cargo learn check lying_bytes

/// Returns the bytes from which a kernel's `global const float *` reads
/// `values`.
pub fn bytes_of(values: &[f64]) -> Vec<u8> {
    // HOLE
    //| todo!("TODO(lying_bytes): write the bytes of floats");
    //| values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    values.iter().flat_map(|&value| (value as f32).to_ne_bytes()).collect()
    // END HOLE
}

/// Returns the number of bytes that a result of `n` floats needs.
pub fn room(n: usize) -> usize {
    // HOLE
    //| todo!("TODO(lying_bytes): allocate n floats");
    //| 4
    n * size_of::<f32>()
    // END HOLE
}

/// Returns the values that a kernel has written through a `global float *`.
pub fn values_of(bytes: &[u8]) -> Vec<f64> {
    // HOLE
    //| todo!("TODO(lying_bytes): read the bytes of floats");
    //| let numbers = bytes.as_chunks().0.iter();
    //| numbers.map(|number| f64::from_ne_bytes(*number)).collect()
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|number| f32::from_ne_bytes(*number).into()).collect()
    // END HOLE
}
