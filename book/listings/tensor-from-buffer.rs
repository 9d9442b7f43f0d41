#[track_caller]
pub fn from_buffer(shape: &[usize], buffer: Buffer<f32>) -> Tensor {
    let size = or_raise(shape::checked_size(shape));
    if buffer.len() != size.max(1) {
        mistake(format!(
            "Tensor::from_buffer: shape {shape:?} holds {size} elements, \
             but the buffer has room for {}; allocate as many as the \
             shape holds",
            buffer.len()
        ));
    }
    Tensor::plain(shape, buffer)
}
