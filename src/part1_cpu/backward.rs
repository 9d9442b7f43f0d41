//! The backward pass, built in "One sweep".

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ndarray::{ArrayD, IxDyn};

use super::Tensor;
use super::array::row_major;
use crate::checks;
use crate::error::or_raise;
use crate::graph::topological_order;
use crate::tape::{Record, Tape};

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
        self.sweep(&self.one(), |_, _, _| ());
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
    #[track_caller]
    pub fn backward_with(&self, grad: &ArrayD<f32>) {
        let op = "backward_with";
        or_raise(checks::seed(op, (grad.shape(), HERE), (self.shape(), HERE)));
        self.sweep(&row_major(grad.clone()), |_, _, _| ());
    }

    /// Runs the backward pass from this tensor to the leaves. Gradients of
    /// inner nodes live in `waiting`, a map local to this call, so a second
    /// call starts clean; only leaves keep a gradient.
    #[track_caller]
    fn sweep(
        &self,
        seed: &ArrayD<f32>,
        mut seen: impl FnMut(&Tensor, &ArrayD<f32>, &[ArrayD<f32>]),
    ) {
        let mut waiting = HashMap::from([(self.0.id, seed.clone())]);
        for tensor in self.graph().into_iter().rev() {
            let grad_out = waiting
                .remove(&tensor.0.id)
                .expect("a consumer comes before its operands");
            let Some(rule) = &tensor.0.rule else {
                seen(tensor, &grad_out, &[]);
                tensor.keep(grad_out);
                continue;
            };
            let grads = rule(&grad_out);
            tensor.check_rule(&grads);
            seen(tensor, &grad_out, &grads);
            for (parent, grad) in tensor.0.parents.iter().zip(grads) {
                match waiting.entry(parent.0.id) {
                    // The first gradient is moved; later ones are added to it.
                    Entry::Vacant(place) => {
                        place.insert(grad);
                    }
                    Entry::Occupied(mut sum) => *sum.get_mut() += &grad,
                }
            }
        }
    }

    fn keep(&self, grad: ArrayD<f32>) {
        let mut kept = self.0.grad.borrow_mut();
        match &mut *kept {
            Some(sum) => **sum += &grad,
            None => *kept = Some(Box::new(grad)),
        }
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
    pub fn apply_rule(
        &self,
        grad_out: &ArrayD<f32>,
    ) -> Option<Vec<ArrayD<f32>>> {
        self.0.rule.as_ref().map(|rule| rule(grad_out))
    }

    /// Records the graph with its values but without gradients.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[3.0, 4.0]);
    /// let tape = (&x * &x).sum().tape();
    /// assert_eq!(tape.records[1].values, Some(vec![9.0, 16.0]));
    /// assert_eq!(tape.records[1].grad, None);
    /// ```
    pub fn tape(&self) -> Tape {
        let records = self.graph().into_iter().map(|t| {
            let parents = t.0.parents.iter().map(|p| p.0.id).collect();
            Record::new(
                t.0.id,
                t.0.op.clone(),
                parents,
                t.shape(),
                Some(t.to_vec()),
            )
        });
        Tape::new(records.collect())
    }

    /// Runs [`Tensor::backward`] and records every gradient of the pass.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[3.0, 4.0]);
    /// let tape = (&x * &x).sum().backward_recorded();
    /// assert_eq!(tape.records[0].grad, Some(vec![6.0, 8.0]));
    /// // No rule returned a wrong gradient.
    /// assert_eq!(tape.blame(), None);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`].
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        let mut tape = self.tape();
        let flat = |a: &ArrayD<f32>| a.iter().copied().collect::<Vec<_>>();
        self.sweep(&self.one(), |tensor, grad_out, grads| {
            let grads = grads
                .iter()
                .map(|g| Some((g.shape().to_vec(), flat(g))))
                .collect();
            tape.set_grads(tensor.0.id, flat(grad_out), grads);
        });
        tape
    }

    /// Creates the seed of the backward pass: the gradient of a one-element
    /// tensor with respect to itself, which is 1.
    #[track_caller]
    fn one(&self) -> ArrayD<f32> {
        or_raise(checks::one_element("backward", self.shape()));
        ArrayD::ones(IxDyn(self.shape()))
    }

    /// Checks the number and the shapes of the gradients that a rule returned;
    /// the rule of a custom operation may get them wrong.
    #[track_caller]
    fn check_rule(&self, grads: &[ArrayD<f32>]) {
        let (op, parents) = (self.op(), &self.0.parents);
        or_raise(checks::gradients(op, grads.len(), parents.len()));
        for (index, (parent, grad)) in parents.iter().zip(grads).enumerate() {
            let (actual, expected) =
                (Some((grad.shape(), HERE)), parent.shape());
            or_raise(checks::gradient(op, index, actual, (expected, HERE)));
        }
    }
}

/// The name of the only device of Part 1, for error messages.
const HERE: &str = "the processor";

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
