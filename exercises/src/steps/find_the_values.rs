//! The step of `find_the_values`, two numbers with given derivatives.
//!
//! There are two correct answers, so the derivatives are compared instead of
//! the numbers.

use rungrad::part1_cpu::Tensor;

use crate::{Outcome, Step, drawn, wrong};

/// A learner's function that returns `a` and `b`.
pub type Values = Box<dyn Fn() -> (f32, f32)>;

/// The steps. The answer is the function `values`.
pub const STEPS: &[Step<Values>] =
    &[("(a * b) * b has the required derivatives", slopes)];

/// The required derivatives, or those drawn for a variant.
fn wanted() -> [f32; 2] {
    let of = |name, own| drawn(name).unwrap_or(own);
    [of("first", 25.0), of("second", -30.0)]
}

fn slopes(values: &Values) -> Outcome {
    let wanted = wanted();
    let (a, b) = values();
    let found = of(a, b, |a, b| a.mul(b).mul(b));
    if found == wanted {
        return Ok(());
    }
    let why = if found[0] == wanted[0] && found[1] == -wanted[1] {
        "\n\nOnly the sign of the derivative with respect to b is wrong."
    } else if of(a, b, Tensor::mul) == wanted {
        "\n\nThese numbers would be right for a * b. In (a * b) * b, b occurs \
         twice."
    } else if found[0] == wanted[0] {
        "\n\nThe derivative with respect to a is right, and it does not depend \
         on a: keep b, and change a."
    } else {
        ""
    };
    Err(wrong(format!(
        "For a = {a} and b = {b} the derivatives are not the required \
         ones.\n\n            yours  right\n  d/da  {:>9}  {:>5}\n  d/db  \
         {:>9}  {:>5}{why}",
        found[0], wanted[0], found[1], wanted[1]
    )))
}

/// Returns the gradients that the engine computes.
fn of(a: f32, b: f32, f: impl Fn(&Tensor, &Tensor) -> Tensor) -> [f32; 2] {
    let (a, b) = (Tensor::new(&[1], &[a]), Tensor::new(&[1], &[b]));
    f(&a, &b).backward();
    [&a, &b].map(|it| it.grad().map_or(0.0, |grad| grad[[0]]))
}
