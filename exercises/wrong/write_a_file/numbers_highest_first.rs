// The numbers have their highest byte first.

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
    let (mut entries, mut data) = (Vec::new(), Vec::new());
    for Weights { name, shape, values } in tensors {
        let from = data.len();
        data.extend(values.iter().flat_map(|value| value.to_be_bytes()));
        let to = data.len();
        entries.push(format!(
            "{name:?}:{{\"dtype\":\"F32\",\"shape\":{shape:?},\
             \"data_offsets\":[{from},{to}]}}"
        ));
    }
    let header = format!("{{{}}}", entries.join(","));
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), &data].concat()
}
