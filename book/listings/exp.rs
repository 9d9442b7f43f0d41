/// Computes `e^a`, which is its own derivative.
///
/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[0.0, 1.0]);
/// assert_eq!(x.exp().to_vec(), [1.0, 1f32.exp()]);
/// ```
pub fn exp(&self) -> Tensor {
    self.elementwise(Op::Exp, f32::exp, |_, y| y)
}
