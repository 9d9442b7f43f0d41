//! The backward pass from the result to the leaves, built in "Gradients that
//! are not recorded". Compare it with Part 1's: only the type of a gradient
//! has changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Tensor;
use crate::checks;
use crate::error::{mistake, or_raise};
use crate::graph::topological_order;
use crate::tape::{Gradient, Record, Tape};

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
// ANCHOR: backward
impl Tensor {
    /// Computes the gradient of this tensor, which must have one element, with
    /// respect to every leaf that requires it, and adds it to [`Tensor::grad`]
    /// of that leaf.
    #[track_caller]
    pub fn backward(&self) {
        self.sweep(&self.one(), |_, _, _| ());
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        let [given, here] = [grad, self].map(|t| (t.shape(), t.gpu()));
        or_raise(checks::seed("backward_with", given, here));
        self.sweep(&grad.detach(), |_, _, _| ());
    }

    #[track_caller]
    fn sweep(
        &self,
        seed: &Tensor,
        mut seen: impl FnMut(&Tensor, &Tensor, &[Option<Tensor>]),
    ) {
        if !self.records() {
            mistake(
                "backward: no input of this tensor requires a gradient; call \
                 .requires_grad() on one before computing"
                    .to_string(),
            );
        }
        let mut waiting = HashMap::from([(self.0.id, seed.clone())]);
        for tensor in self.graph().into_iter().rev() {
            // An operand that needs no gradient has received none.
            let Some(grad_out) = waiting.remove(&tensor.0.id) else {
                continue;
            };
            let Some(rule) = &tensor.0.rule else {
                seen(tensor, &grad_out, &[]);
                tensor.keep(grad_out);
                continue;
            };
            let grads = rule(&grad_out);
            tensor.check_rule(&grads);
            seen(tensor, &grad_out, &grads);
            for (parent, grad) in tensor.0.parents.iter().zip(grads) {
                let Some(grad) = grad else { continue };
                match waiting.entry(parent.0.id) {
                    // The first gradient is moved; later ones are added to it.
                    Entry::Vacant(place) => {
                        place.insert(grad);
                    }
                    Entry::Occupied(mut sum) => {
                        let total = sum.get().add(&grad);
                        sum.insert(total);
                    }
                }
            }
        }
    }

    #[track_caller]
    fn keep(&self, grad: Tensor) {
        let mut kept = self.0.grad.borrow_mut();
        *kept = Some(match kept.take() {
            Some(sum) => sum.add(&grad),
            None => grad,
        });
    }
}
// ANCHOR_END: backward

impl Tensor {
    /// Returns every tensor of this one's graph, parents first.
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

    /// Records the graph with its values and without gradients. Each value is
    /// read back from the device.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
    /// let tape = x.mul(&x).sum().tape();
    /// assert_eq!(tape.records[1].values, Some(vec![9.0, 16.0]));
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If reading from the device fails.
    #[track_caller]
    pub fn tape(&self) -> Tape {
        let records = self.graph().into_iter().map(|t| {
            let parents = t.0.parents.iter().map(|p| p.0.id).collect();
            let values = or_raise(t.to_vec());
            Record::new(
                t.0.id,
                t.0.op.clone(),
                parents,
                t.shape(),
                Some(values),
            )
        });
        Tape::new(records.collect())
    }

    /// Runs [`Tensor::backward`] and records every gradient that it computes.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
    /// let tape = x.mul(&x).sum().backward_recorded();
    /// assert_eq!(tape.records[0].grad, Some(vec![6.0, 8.0]));
    /// // Every rule on the way is right.
    /// assert_eq!(tape.blame(), None);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`], or if reading from the device fails.
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        let mut tape = self.tape();
        let flat = |t: &Tensor| -> Gradient {
            (t.shape().to_vec(), or_raise(t.to_vec()))
        };
        self.sweep(&self.one(), |tensor, grad_out, grads| {
            let given = grads.iter().map(|g| g.as_ref().map(flat)).collect();
            tape.set_grads(tensor.0.id, flat(grad_out).1, given);
        });
        tape
    }

    /// Returns the gradient of a one-element tensor with respect to itself: 1.
    #[track_caller]
    fn one(&self) -> Tensor {
        or_raise(checks::one_element("backward", self.shape()));
        or_raise(Tensor::new(self.gpu(), self.shape(), &[1.0]))
    }

    /// Checks the gradients that a rule returned. A reader's own rule may
    /// return the wrong number of gradients, a wrong shape or device, or
    /// gradients that are themselves recorded.
    #[track_caller]
    fn check_rule(&self, grads: &[Option<Tensor>]) {
        let (op, parents) = (self.op(), &self.0.parents);
        or_raise(checks::gradients(op, grads.len(), parents.len()));
        for (place, (parent, grad)) in parents.iter().zip(grads).enumerate() {
            if grad.is_none() && !parent.records() {
                continue;
            }
            let given = grad.as_ref().map(|it| (it.shape(), it.gpu()));
            let wanted = (parent.shape(), parent.gpu());
            or_raise(checks::gradient(op, place, given, wanted));
            if grad.as_ref().is_some_and(Tensor::records) {
                mistake(format!(
                    "{op}: the gradient of operand {place} is itself \
                     recorded; let the rule work on detached operands"
                ));
            }
        }
    }
}
