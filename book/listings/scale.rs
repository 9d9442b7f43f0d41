/// Multiplies each element by a constant. The constant gets no gradient.
pub(super) fn scale(&self, factor: f32) -> Tensor {
    let out = self.data().mapv(|x| x * factor);
    Tensor::record(Op::Scale(factor), &[self], out, move |grad_out| {
        vec![grad_out.mapv(|g| g * factor)]
    })
}
