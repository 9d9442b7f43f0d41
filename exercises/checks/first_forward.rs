//! Checks `first_forward`, an expression on tensors.
//!
//! The exercise is already solved in the stub. The check still works, so that
//! readers can change the file and see the effect.

use std::process::ExitCode;

use exercises::check_answer;
use exercises::steps::Binary;
use exercises::steps::first_forward::STEPS;

exercises::yours!("part1_cpu/first_forward.rs");

fn main() -> ExitCode {
    let forward: Binary = Box::new(yours::forward);
    check_answer("first_forward", YOURS, forward, STEPS)
}
