// write_a_file: weights in a file, byte by byte.
//
// WHAT   Write the bytes of a file of safetensors: eight with the length of
//        the header, the header, and all numbers.
// WHY    A format that fits on half a page can be read by every engine, and
//        has nothing in it to run. Whoever has written it once can look at any
//        file of weights and say where a number lies.
// MIND   The length and the numbers have their lowest byte first. Offsets are
//        bytes, and are counted from the end of the header. A name may have a
//        quotation mark in it, which JSON writes as \".
// READ   Weights that travel
// CHECK  cargo learn check write_a_file

/// A tensor with a name: its numbers in row-major order.
pub struct Weights {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// Writes a file with these tensors, one after the other. Of one of shape
/// [10], called bias, the header is, on one line,
/// {"bias":{"dtype":"F32","shape":[10],"data_offsets":[0,40]}}
pub fn file(tensors: &[Weights]) -> Vec<u8> {
    todo!("TODO(write_a_file): the length, the header, the numbers")
}
