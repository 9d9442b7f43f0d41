//! The figures whose numbers come from the engine, an example or a measured
//! listing. Other figures are drawn by hand.

mod along;
mod course;
mod crossover;
mod descent;
mod groups;
mod interleaving;
mod ladder;
mod nudge;
mod ranks;
mod reuse;
mod roof;
mod roofline;
mod softmax;

use std::fmt::Display;

use rungrad::draw;
use rungrad::part1_cpu::Tensor;

use crate::manifest::Figure;

/// The figures that are drawn here, with the names of their files.
pub(crate) const FIGURES: &[Figure] = &[
    ("tape", tape),
    ("own", || expression("own", [&[2.0, 3.0], &[3.0, 4.0]])),
    ("first", || expression("first", [&[2.0], &[3.0]])),
    ("order", order),
    ("along", along::svg),
    ("course", course::svg),
    ("crossover-add", || crossover::svg("add")),
    ("crossover-matmul", || crossover::svg("matmul")),
    ("descent", descent::svg),
    ("groups", groups::svg),
    ("interleaving", interleaving::svg),
    ("ladder", ladder::svg),
    ("nudge", nudge::svg),
    ("ranks", ranks::svg),
    ("reuse", reuse::svg),
    ("roof", roof::svg),
    ("roofline", roofline::svg),
    ("softmax", softmax::svg),
];

const BOLD: &str = " font-weight=\"600\"";
const CODE: &str = " class=\"code\"";

/// A figure that is written line by line.
struct Svg(String);

impl Svg {
    /// Begins with the opening tag, the title and the description.
    fn new(head: &str) -> Svg {
        Svg(head.to_string())
    }

    fn put(&mut self, line: impl Display) {
        self.0 += &format!("{line}\n");
    }

    fn text(
        &mut self,
        x: impl Display,
        y: impl Display,
        attributes: &str,
        words: impl Display,
    ) {
        self.put(format!(
            "<text x=\"{x}\" y=\"{y}\"{attributes}>{words}</text>"
        ));
    }

    /// Puts lines that are drawn below the others on a phone.
    fn fold(&mut self, draw: impl FnOnce(&mut Svg)) {
        self.put("<g class=\"fold\">");
        draw(self);
        self.put("</g>");
    }

    fn end(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// `(a * b) * b`, forward and backward: the steps of "Backward by hand".
fn tape() -> String {
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

/// The tape of `cargo learn try "(a*b)*b" ..`. In "One expression, three
/// engines" and in the introduction, the page replaces it with a live one.
fn expression(name: &str, [a, b]: [&[f32]; 2]) -> String {
    let [a, b] = [a, b].map(|values| Tensor::new(&[values.len()], values));
    let result = a.mul(&b).mul(&b);
    let loss = if a.shape() == [1] { result } else { result.sum() };
    let mut tape = loss.backward_recorded();
    tape.set_name(a.id(), "a");
    tape.set_name(b.id(), "b");
    draw::svg(&tape, name, "The tape of (a*b)*b", None)
}

/// `((a * b) * b) * (a * b)` with the topological order of the tensors, for "A
/// tensor that remembers".
fn order() -> String {
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
