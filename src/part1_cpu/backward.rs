//! The backward pass, built in "One backward pass".

use std::collections::HashMap;

use ndarray::{ArrayD, IxDyn};

use super::Tensor;
use super::array::row_major;
use super::inspect::HERE;
use crate::checks;
use crate::error::or_raise;
use crate::graph::topological_order;

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[3.0, 4.0]);
/// (&x * &x).sum().backward();
/// assert_eq!(x.grad().unwrap().as_slice().unwrap(), [6.0, 8.0]);
/// // The upstream gradient is [1, 10].
/// (&x * &x).backward_with(&Tensor::new(&[2], &[1.0, 10.0]).data());
/// assert_eq!(x.grad().unwrap().as_slice().unwrap(), [12.0, 88.0]);
/// ```
///
/// # Panics
///
/// If this tensor does not have exactly one element (`backward`), or the
/// gradient has a different shape (`backward_with`).
// ANCHOR: backward
impl Tensor {
    /// Computes the gradient of this tensor, which must have one element, with
    /// respect to every leaf and adds it to the leaf's gradient.
    #[track_caller]
    pub fn backward(&self) {
        or_raise(checks::one_element("backward", self.shape()));
        // The derivative of the result with respect to itself is 1.
        self.sweep(ArrayD::ones(IxDyn(self.shape())));
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
    #[track_caller]
    pub fn backward_with(&self, grad: &ArrayD<f32>) {
        let op = "backward_with";
        or_raise(checks::seed(op, (grad.shape(), HERE), (self.shape(), HERE)));
        self.sweep(row_major(grad.clone()));
    }

    /// Runs the backward pass from this tensor to the leaves. Gradients of
    /// inner nodes live in `waiting`, a map local to this call, so a second
    /// call starts clean; only leaves keep a gradient.
    // ANCHOR: sweep
    #[track_caller]
    fn sweep(&self, seed: ArrayD<f32>) {
        let mut waiting = HashMap::from([(self.0.id, seed)]);
        for tensor in self.graph().into_iter().rev() {
            let grad_out = waiting
                .remove(&tensor.0.id)
                .expect("a consumer comes before its operands");
            let Some(grads) = tensor.apply_rule(&grad_out) else {
                tensor.keep(grad_out);
                continue;
            };
            for (parent, grad) in tensor.0.parents.iter().zip(grads) {
                let sum = match waiting.remove(&parent.0.id) {
                    Some(sum) => sum + grad,
                    None => grad,
                };
                waiting.insert(parent.0.id, sum);
            }
        }
    }
    // ANCHOR_END: sweep

    /// Adds to the gradient of this leaf.
    fn keep(&self, grad: ArrayD<f32>) {
        let sum = match self.0.grad.take() {
            Some(sum) => sum + grad,
            None => grad,
        };
        self.0.grad.replace(Some(sum));
    }
}
// ANCHOR_END: backward

impl Tensor {
    /// Lists every tensor of this tensor's graph in topological order, parents
    /// first.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// let y = (&x * &x).exp();
    /// let names: Vec<_> = y.graph().iter().map(|t| t.op()).collect();
    /// assert_eq!(names, ["leaf", "mul", "exp"]);
    /// ```
    pub fn graph(&self) -> Vec<&Tensor> {
        topological_order(self, |t| t.0.id, |t, k| t.0.parents.get(k))
    }

    /// Applies the local rule to `grad_out` and returns one gradient per
    /// parent, or `None` for a leaf, which has no rule.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[3.0, 4.0]);
    /// let y = &x * &x;
    /// let grads = y.apply_rule(&x.data()).unwrap();
    /// assert_eq!(grads[0].as_slice().unwrap(), [9.0, 16.0]);
    /// assert!(x.apply_rule(&x.data()).is_none());
    /// ```
    ///
    /// # Panics
    ///
    /// If the rule of a custom operation returns gradients of a wrong number
    /// or shape.
    #[track_caller]
    pub fn apply_rule(
        &self,
        grad_out: &ArrayD<f32>,
    ) -> Option<Vec<ArrayD<f32>>> {
        let grads = self.0.rule.as_ref()?(grad_out);
        self.check_gradients(&grads);
        Some(grads)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn the_first_gradient_of_a_leaf_is_not_copied() {
        let x = Tensor::new(&[3], &[1.0, 2.0, 3.0]);
        let address = Rc::new(Cell::new(std::ptr::null()));
        let rule_address = Rc::clone(&address);
        let y =
            Tensor::from_op("own", &[&x], ArrayD::ones(vec![3]), move |g| {
                let grad = g * 2.0;
                rule_address.set(grad.as_ptr());
                vec![grad]
            });
        y.backward_with(&y.data());
        let grad = x.0.grad.borrow();
        assert_eq!(grad.as_ref().expect("a gradient").as_ptr(), address.get());
    }
}
