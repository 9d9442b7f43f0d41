//! The backward pass from the result to the leaves, built in "Gradients that
//! are not recorded". Compare it with Part 1's: only the type of a gradient
//! has changed.

use std::collections::HashMap;

use super::Tensor;
use crate::checks;
use crate::error::or_raise;
use crate::graph::topological_order;

/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let x = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
/// x.mul(&x).sum().backward();
/// assert_eq!(x.grad().unwrap().to_vec()?, [6.0, 8.0]);
/// x.mul(&x).backward_with(&Tensor::new(&gpu, &[2], &[1.0, 10.0])?);
/// assert_eq!(x.grad().unwrap().to_vec()?, [12.0, 88.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If no input requires a gradient, if this tensor does not have exactly one
/// element, or if the shape or device of the gradient differs from this
/// tensor's.
impl Tensor {
    /// Computes the gradient of this tensor, which must have one element, with
    /// respect to every leaf that requires it, and adds it to the leaf's
    /// gradient.
    #[track_caller]
    pub fn backward(&self) {
        or_raise(checks::one_element("backward", self.shape()));
        // The derivative of the result with respect to itself is 1.
        self.sweep(or_raise(Tensor::new(self.gpu(), self.shape(), &[1.0])));
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        let [actual, expected] = [grad, self].map(|t| (t.shape(), t.gpu()));
        or_raise(checks::seed("backward_with", actual, expected));
        self.sweep(grad.detach());
    }

    /// Runs the backward pass from this tensor to the leaves. Gradients of
    /// inner nodes live in `waiting`, a map local to this call, so a second
    /// call starts clean; only leaves keep a gradient.
    // ANCHOR: sweep
    #[track_caller]
    fn sweep(&self, seed: Tensor) {
        self.check_recorded();
        let mut waiting = HashMap::from([(self.0.id, seed)]);
        for tensor in self.graph().into_iter().rev() {
            // An operand that needs no gradient has received none.
            let Some(grad_out) = waiting.remove(&tensor.0.id) else {
                continue;
            };
            let Some(grads) = tensor.apply_rule(&grad_out) else {
                tensor.keep(grad_out);
                continue;
            };
            for (parent, grad) in tensor.0.parents.iter().zip(grads) {
                let Some(grad) = grad else { continue };
                let sum = match waiting.remove(&parent.0.id) {
                    Some(sum) => sum.add(&grad),
                    None => grad,
                };
                waiting.insert(parent.0.id, sum);
            }
        }
    }
    // ANCHOR_END: sweep

    /// Adds to the gradient of this leaf.
    #[track_caller]
    fn keep(&self, grad: Tensor) {
        let sum = match self.0.grad.take() {
            Some(sum) => sum.add(&grad),
            None => grad,
        };
        self.0.grad.replace(Some(sum));
    }
}

impl Tensor {
    /// Lists every tensor of this tensor's graph in topological order, parents
    /// first.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[1], &[3.0])?.requires_grad();
    /// let y = x.mul(&x).exp();
    /// let names: Vec<_> = y.graph().iter().map(|t| t.op()).collect();
    /// assert_eq!(names, ["leaf", "mul", "exp"]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn graph(&self) -> Vec<&Tensor> {
        topological_order(self, |t| t.0.id, |t, k| t.0.parents.get(k))
    }
    /// Applies the local rule to `grad_out` and returns one gradient per
    /// parent, or `None` for a leaf, which has no rule.
    #[track_caller]
    pub(super) fn apply_rule(
        &self,
        grad_out: &Tensor,
    ) -> Option<Vec<Option<Tensor>>> {
        let grads = self.0.rule.as_ref()?(grad_out);
        self.check_gradients(&grads);
        Some(grads)
    }
}
