//! The errors of the engine. Each is one sentence: what is wrong, and what to
//! do about it.

use std::process::ExitCode;

use rungrad::attempt;
use rungrad::ops::Keep;
use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-refusals
fn main() -> ExitCode {
    rungrad::run(|| {
        let a = Tensor::new(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = Tensor::new(&[2], &[1.0, 2.0]);
        refused(|| drop(&a * &b));
        refused(|| drop(a.sum_over(&[2], Keep::No)));
        refused(|| a.backward());
        Ok(())
    })
}

/// Prints the error with each half of the sentence on its own line.
fn refused(work: impl FnOnce()) {
    let error = attempt(work).expect_err("this is refused").to_string();
    println!("{}", error.replace("; ", ";\n    "));
}
// ANCHOR_END: part1-refusals
