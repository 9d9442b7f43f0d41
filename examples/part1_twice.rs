//! The finished backward pass: roots with several elements, a second call, and
//! leaves that need no gradient.

use std::process::ExitCode;

use ndarray::arr1;
use rungrad::part1_cpu::Tensor;
use rungrad::{attempt, ledger};

// ANCHOR: part1-twice
fn main() -> ExitCode {
    rungrad::run(|| {
        let a = Tensor::new(&[2], &[2.0, 3.0]);
        let b = Tensor::new(&[2], &[3.0, 4.0]);
        let c = a.mul(&b);
        let d = c.mul(&b);
        let refusal = attempt(|| d.backward()).unwrap_err();
        println!("{}", refusal.to_string().replace("; ", ";\n"));

        let seed = arr1(&[1.0, 1.0]).into_dyn();
        let ((), counts) = ledger::measure(|| d.backward_with(&seed));
        println!("once, {} tensors made:\na: {a}\nb: {b}", counts.nodes);
        d.backward_with(&seed);
        println!("twice:\na: {a}\nb: {b}\nc: {c}");

        a.zero_grad();
        d.backward_with(&arr1(&[1.0, 10.0]).into_dyn());
        println!("with [1, 10]:\na: {a}");

        let x = Tensor::new(&[1], &[5.0]);
        x.backward();
        x.backward();
        println!("from a leaf itself, twice:\nx: {x}");
        Ok(())
    })
}
// ANCHOR_END: part1-twice
