// lying_bytes: the bytes that a kernel reads.
//
// WHAT   Three functions stand between your numbers and a kernel that says
//        `float`: what is written to the device, how much room a result gets,
//        and how the result is read. What stands there now is the notebook's
//        way. Take the `todo!` away, look at the verdict, and mend it.
// WHY    A driver copies bytes and does not ask what they mean. If the two
//        sides mean different things, nobody says so, and every gradient is
//        0 or, worse, something else.
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

/// Counts the bytes that a result of `n` floats needs.
pub fn room(n: usize) -> usize {
    // HOLE
    //| todo!("TODO(lying_bytes): make room for n floats");
    //| 4
    n * size_of::<f32>()
    // END HOLE
}

/// Reads the numbers that a kernel has written through a `global float *`.
pub fn values_of(bytes: &[u8]) -> Vec<f64> {
    // HOLE
    //| todo!("TODO(lying_bytes): read the bytes of floats");
    //| let numbers = bytes.as_chunks().0.iter();
    //| numbers.map(|number| f64::from_ne_bytes(*number)).collect()
    let numbers = bytes.as_chunks().0.iter();
    numbers.map(|number| f32::from_ne_bytes(*number).into()).collect()
    // END HOLE
}
