//! Checks `find_the_values`, two numbers with given derivatives.

use std::process::ExitCode;

use exercises::check_answer;
use exercises::steps::find_the_values::{STEPS, Values};

exercises::yours!("part1_cpu/find_the_values.rs");

fn main() -> ExitCode {
    let values: Values = Box::new(yours::values);
    check_answer("find_the_values", YOURS, values, STEPS)
}
