//! The figures that the engine draws of itself, or computes.

mod crossover;
mod groups;
mod interleaving;
mod ladder;
mod nudge;
mod reduction;
mod reuse;
mod roofline;

pub(crate) use crossover::svg as crossover;
pub(crate) use groups::svg as groups;
pub(crate) use interleaving::svg as interleaving;
pub(crate) use ladder::svg as ladder;
pub(crate) use nudge::svg as nudge;
pub(crate) use reduction::svg as reduction;
pub(crate) use reuse::svg as reuse;
pub(crate) use roofline::svg as roofline;

use rungrad::draw;
use rungrad::part1_cpu::Tensor;

/// `(a * b) * b`, forward and back: the stepper of "Backward by hand".
pub(crate) fn tape() -> String {
    let a = Tensor::new(&[2], &[2.0, 3.0]);
    let b = Tensor::new(&[2], &[3.0, 4.0]);
    let mut tape = a.mul(&b).mul(&b).sum().backward_recorded();
    let names = ["a", "b", "c", "d", "loss"];
    for (record, name) in tape.records.iter_mut().zip(names) {
        record.name = Some(name.into());
    }
    let title = "The tape of (a * b) * b: values run forward to the sum, \
                 gradients run back to a and b.";
    draw::svg(&tape, "tape", title, None)
}

/// `((a * b) * b) * (a * b)` with the place of each tensor in the order, for
/// "A tensor that remembers".
pub(crate) fn order() -> String {
    let a = Tensor::new(&[1], &[2.0]);
    let b = Tensor::new(&[1], &[3.0]);
    let c = a.mul(&b);
    let mut tape = c.mul(&b).mul(&c).tape();
    let names = ["1: a", "2: b", "3: c", "4: d", "5: e"];
    for (record, name) in tape.records.iter_mut().zip(names) {
        record.name = Some(name.into());
    }
    let title = "The graph of e = d * c with d = c * b and c = a * b. Every \
                 tensor is numbered after its parents.";
    draw::svg(&tape, "order", title, None)
}
