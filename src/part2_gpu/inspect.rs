//! Inspection of a graph: the tape that `Tensor::tape` records, and the checks
//! of a rule's gradients. A backward pass does not need this file.

use std::collections::HashMap;

use super::Tensor;
use crate::checks;
use crate::error::{mistake, or_raise};
use crate::tape::{Gradient, Record, Tape};

impl Tensor {
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
            let (op, values) = (t.0.op.clone(), Some(or_raise(t.to_vec())));
            Record::new(t.0.id, op, parents, t.shape(), values)
        });
        Tape::new(records.collect())
    }

    /// Runs [`Tensor::backward`] and records every gradient of the pass, which
    /// it computes a second time.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
    /// let tape = x.mul(&x).sum().backward_recorded();
    /// assert_eq!(tape.records[0].grad, Some(vec![6.0, 8.0]));
    /// // No rule returned a wrong gradient.
    /// assert_eq!(tape.blame(), None);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`], or if reading from the device fails.
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        self.backward();
        let mut tape = self.tape();
        let seed = or_raise(Tensor::new(self.gpu(), self.shape(), &[1.0]));
        let mut waiting = HashMap::from([(self.id(), seed)]);
        for tensor in self.graph().into_iter().rev() {
            let Some(grad_out) = waiting.remove(&tensor.id()) else {
                continue;
            };
            let grads = tensor.apply_rule(&grad_out).unwrap_or_default();
            let recorded = grads.iter().map(|g| g.as_ref().map(flat)).collect();
            tape.set_grads(tensor.id(), flat(&grad_out).1, recorded);
            for (parent, grad) in tensor.parents().iter().zip(grads) {
                let Some(grad) = grad else { continue };
                let sum = match waiting.remove(&parent.id()) {
                    Some(sum) => sum.add(&grad),
                    None => grad,
                };
                waiting.insert(parent.id(), sum);
            }
        }
        tape
    }

    /// Checks that an input of this tensor requires a gradient, so that its
    /// graph was recorded.
    #[track_caller]
    pub(super) fn check_recorded(&self) {
        if !self.records() {
            mistake(
                "backward: no input of this tensor requires a gradient; call \
                 .requires_grad() on one before computing"
                    .to_string(),
            );
        }
    }

    /// Checks the gradients that a rule returned. The rule of a custom
    /// operation may return the wrong number of gradients, a wrong shape or
    /// device, or gradients that are themselves recorded.
    #[track_caller]
    pub(super) fn check_gradients(&self, grads: &[Option<Tensor>]) {
        let (op, parents) = (self.op(), self.parents());
        or_raise(checks::gradients(op, grads.len(), parents.len()));
        for (index, (parent, grad)) in parents.iter().zip(grads).enumerate() {
            if grad.is_none() && !parent.records() {
                continue;
            }
            let actual = grad.as_ref().map(|g| (g.shape(), g.gpu()));
            let expected = (parent.shape(), parent.gpu());
            or_raise(checks::gradient(op, index, actual, expected));
            if grad.as_ref().is_some_and(Tensor::records) {
                mistake(format!(
                    "{op}: the gradient of operand {index} is itself \
                     recorded; let the rule work on detached operands"
                ));
            }
        }
    }
}

/// Reads back the shape and the elements, as a tape stores a gradient.
#[track_caller]
fn flat(grad: &Tensor) -> Gradient {
    (grad.shape().to_vec(), or_raise(grad.to_vec()))
}
