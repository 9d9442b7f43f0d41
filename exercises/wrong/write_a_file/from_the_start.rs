// Offsets are counted from the start of the file.

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
    // The header is as long as its offsets say, and they as the header is.
    let mut front = 0;
    loop {
        let (mut entries, mut data) = (Vec::new(), Vec::new());
        for Weights { name, shape, values } in tensors {
            let from = front + data.len();
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            let to = front + data.len();
            entries.push(format!(
                "{name:?}:{{\"dtype\":\"F32\",\"shape\":{shape:?},\
                 \"data_offsets\":[{from},{to}]}}"
            ));
        }
        let header = format!("{{{}}}", entries.join(","));
        if front == 8 + header.len() {
            let length = (header.len() as u64).to_le_bytes();
            return [&length[..], header.as_bytes(), &data].concat();
        }
        front = 8 + header.len();
    }
}
