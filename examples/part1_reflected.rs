//! A number on the left of a tensor: `2 - x` is not `x - 2`.

use std::process::ExitCode;

use rungrad::draw;
use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-reflected
/// A bug that an engine once had: the operands are swapped so that the tensor
/// comes first.
fn swapped(number: f32, x: &Tensor) -> Tensor {
    x - number
}

fn main() -> ExitCode {
    rungrad::run(|| {
        let x = Tensor::new(&[1], &[5.0]);
        show("2 - x, swapped", &x, swapped(2.0, &x));
        show("2 - x", &x, 2.0 - &x);
        let two = Tensor::new(&[1], &[2.0]);
        show("2 - x, and 2 is a tensor", &x, &two - &x);
        Ok(())
    })
}

fn show(title: &str, x: &Tensor, result: Tensor) {
    let mut tape = result.backward_recorded();
    tape.set_name(x.id(), "x");
    let verdict = match tape.blame() {
        None => "every rule agrees with the reference",
        Some(_) => "the first wrong rule",
    };
    println!("{title}: {verdict}\n{}", draw::text(&tape, None));
}
// ANCHOR_END: part1-reflected
