// The sums of the gradients are right in any order.

use super::Engine;

/// Tells whether an engine's gradients of `(a * b) * b` are right.
pub fn accepts(start: &dyn Fn(&[f32], &[f32]) -> Box<dyn Engine>) -> bool {
    let (a, b, grad_out) = ([2.0, -1.5], [3.0, 0.5], [0.25, -2.0]);
    let mut engine = start(&a, &b);
    let sum = |grad: Vec<f32>| grad.iter().sum::<f32>();
    [1.0, 2.0].into_iter().all(|calls: f32| {
        engine.backward(&grad_out);
        let of = |i: usize| calls * grad_out[i] * b[i];
        let grad_a = (0..2).map(|i| of(i) * b[i]).collect();
        let grad_b = (0..2).map(|i| of(i) * 2.0 * a[i]).collect();
        sum(engine.grad_a()) == sum(grad_a)
            && sum(engine.grad_b()) == sum(grad_b)
    })
}
