// write_a_file: weights in a file, byte by byte.
//
// WHAT   Write the bytes of a safetensors file: eight with the length of the
//        header, the header, and all elements.
// WHY    A format that fits on half a page can be read by every engine and
//        contains no code that could run. If you have written it once, you can
//        find any element in any file of weights.
// MIND   The length and the elements are little-endian. Offsets are bytes,
//        counted from the end of the header. A name may contain a quotation
//        mark, which JSON writes as \".
// READ   Weights that travel
// CHECK  cargo learn check write_a_file

/// A named tensor, with its elements in row-major order.
pub struct Weights {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// Writes a file with these tensors, one after the other. Of one of shape
/// [10], called bias, the header is, on one line,
/// {"bias":{"dtype":"F32","shape":[10],"data_offsets":[0,40]}}
pub fn file(tensors: &[Weights]) -> Vec<u8> {
    // HOLE
    //| todo!("TODO(write_a_file): the length, the header, the elements")
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for Weights { name, shape, values } in tensors {
        let from = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let to = data.len();
        entries.push(format!(
            "{name:?}:{{\"dtype\":\"F32\",\"shape\":{shape:?},\
             \"data_offsets\":[{from},{to}]}}"
        ));
    }
    let header = format!("{{{}}}", entries.join(","));
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), &data].concat()
    // END HOLE
}
