//! Checks `guard_the_end`, work-groups that extend beyond the array.
//!
//! Reads by the spare items do not affect the result; Oclgrind detects them.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_kernel, drawn, expect, numbers};

const YOURS: &str = exercises::path!("part2_gpu/guard_the_end.cl");

fn main() -> ExitCode {
    check_kernel(
        "guard_the_end",
        YOURS,
        "guard_the_end",
        &[
            ("300 elements, 512 items", |kernel| squared(kernel, 300)),
            ("1 element, 256 items", |kernel| squared(kernel, 1)),
            ("512 elements, and no spare items", |kernel| squared(kernel, 512)),
        ],
    )
}

fn squared(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let arguments = [In("a", &a), Out("out", n), Count(n)];
    let out = kernel.run(n, &arguments)?.remove(0);
    let less = drawn("less").unwrap_or(0.0);
    let right: Vec<f32> = a.iter().map(|a| a * a - less).collect();
    expect("out", &out, &right)
}
