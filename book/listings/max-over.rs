/// Computes the maximum over `axes`; it is NaN if any element is NaN.
/// Elements that tie for the maximum split the gradient equally.
///
/// ```
/// # use rungrad::part1_cpu::Tensor;
/// use rungrad::ops::Keep;
/// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
/// assert_eq!(x.max_over(&[0], Keep::Yes).shape(), [1, 2]);
/// ```
///
/// # Panics
///
/// If an axis does not exist, is listed twice, or has no elements.
#[doc(alias = "amax")]
#[track_caller]
pub fn max_over(&self, axes: &[usize], keep: Keep) -> Tensor {
    or_raise(checks::axes("max", self.shape(), axes));
    or_raise(checks::not_empty("max", self.shape(), axes));
    let op = Op::Max(axes.to_vec(), keep);
    let (a, ones) = (self.data(), keepdims(self.shape(), axes));
    let max = reshape(&max_axes(&a, axes), &ones);
    let out = self.reduced(max.clone(), axes, keep);
    let axes = axes.to_vec();
    Tensor::record(op, &[self], out, move |grad_out| {
        let is_max = |x: f32, max| f32::from(x == max || x.is_nan());
        let winners = zip("max", &a, &max, is_max);
        let count = reshape(&sum_axes(&winners, &axes), &ones);
        let grad_out = reshape(grad_out, &ones);
        let equal_part = zip("max", &grad_out, &count, |g, n| g / n);
        vec![zip("max", &winners, &equal_part, |winner, g| winner * g)]
    })
}
