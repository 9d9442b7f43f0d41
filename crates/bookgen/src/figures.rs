//! The figures that the engine draws of itself, or computes.

mod along;
mod crossover;
mod descent;
mod fold;
mod groups;
mod interleaving;
mod ladder;
mod nudge;
pub(crate) mod puzzles;
mod reduction;
mod reuse;
mod roof;
mod roofline;
mod softmax;
mod tiles;

pub(crate) use along::svg as along;
pub(crate) use crossover::svg as crossover;
pub(crate) use descent::svg as descent;
pub(crate) use fold::svg as fold;
pub(crate) use groups::svg as groups;
pub(crate) use interleaving::svg as interleaving;
pub(crate) use ladder::svg as ladder;
pub(crate) use nudge::svg as nudge;
pub(crate) use reduction::svg as reduction;
pub(crate) use reuse::svg as reuse;
pub(crate) use roof::svg as roof;
pub(crate) use roofline::svg as roofline;
pub(crate) use softmax::svg as softmax;
pub(crate) use tiles::svg as tiles;

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

/// The tape of `cargo learn try "(a*b)*b" ..`: what stands in "One expression,
/// three engines" until the page draws its own.
pub(crate) fn own() -> String {
    expression("own", [&[2.0, 3.0], &[3.0, 4.0]])
}

/// The same of one number each, with which the introduction begins.
pub(crate) fn first() -> String {
    expression("first", [&[2.0], &[3.0]])
}

fn expression(name: &str, [a, b]: [&[f32]; 2]) -> String {
    let [a, b] = [a, b].map(|values| Tensor::new(&[values.len()], values));
    let result = a.mul(&b).mul(&b);
    let loss = if a.shape() == [1] { result } else { result.sum() };
    let mut tape = loss.backward_recorded();
    tape.set_name(a.id(), "a");
    tape.set_name(b.id(), "b");
    draw::svg(&tape, name, "The tape of (a*b)*b", None)
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
