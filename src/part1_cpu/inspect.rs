//! Inspection of a graph: the tape that `Tensor::tape` records, and the checks
//! of a rule's gradients. A backward pass uses only `check_gradients` and `HERE` from this file.

use std::collections::HashMap;

use ndarray::{ArrayD, IxDyn};

use super::Tensor;
use crate::checks;
use crate::error::or_raise;
use crate::tape::{Gradient, Record, Tape};

/// The name of the only device of Part 1, for error messages.
pub(super) const HERE: &str = "the processor";

impl Tensor {
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
            let (op, values) = (t.0.op.clone(), Some(t.to_vec()));
            Record::new(t.0.id, op, parents, t.shape(), values)
        });
        Tape::new(records.collect())
    }

    /// Runs [`Tensor::backward`] and records every gradient of the pass, which
    /// it computes a second time.
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
        self.backward();
        let mut tape = self.tape();
        let seed = ArrayD::ones(IxDyn(self.shape()));
        let mut waiting = HashMap::from([(self.id(), seed)]);
        for tensor in self.graph().into_iter().rev() {
            let grad_out = waiting.remove(&tensor.id()).expect("a gradient");
            let grads = tensor.apply_rule(&grad_out).unwrap_or_default();
            let recorded = grads.iter().map(|grad| Some(flat(grad))).collect();
            tape.set_grads(tensor.id(), flat(&grad_out).1, recorded);
            for (parent, grad) in tensor.parents().iter().zip(grads) {
                let sum = match waiting.remove(&parent.id()) {
                    Some(sum) => sum + grad,
                    None => grad,
                };
                waiting.insert(parent.id(), sum);
            }
        }
        tape
    }

    /// Checks the number and the shapes of the gradients that a rule returned;
    /// the rule of a custom operation may get them wrong.
    #[track_caller]
    pub(super) fn check_gradients(&self, grads: &[ArrayD<f32>]) {
        let (op, parents) = (self.op(), self.parents());
        or_raise(checks::gradients(op, grads.len(), parents.len()));
        for (index, (parent, grad)) in parents.iter().zip(grads).enumerate() {
            let actual = Some((grad.shape(), HERE));
            let expected = (parent.shape(), HERE);
            or_raise(checks::gradient(op, index, actual, expected));
        }
    }
}

/// Returns the shape and the elements, as a tape stores a gradient.
fn flat(grad: &ArrayD<f32>) -> Gradient {
    (grad.shape().to_vec(), grad.iter().copied().collect())
}
