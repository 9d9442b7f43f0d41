//! The check of `vector_add`, a work-item for each element (chapter 12).
//!
//! One group hides a local number, whole groups hide a missing guard, and a
//! launch that fits hides a guard that asks for the number of items.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_kernel, expect, numbers};

const YOURS: &str = exercises::path!("part2_gpu/vector_add.cl");

fn main() -> ExitCode {
    check_kernel(
        "vector_add",
        YOURS,
        "vector_add",
        &[
            ("256 elements: one group, and none to spare", |kernel| {
                added(kernel, 256, 256)
            }),
            ("777 elements: four groups, the last one ragged", |kernel| {
                added(kernel, 777, 777)
            }),
            ("300 elements, and eight groups all the same", |kernel| {
                added(kernel, 300, 2000)
            }),
        ],
    )
}

/// The sum of `n` pairs, in a launch for `items`.
fn added(kernel: &Kernel, n: usize, items: usize) -> Outcome {
    let (a, b) = (numbers(1, n), numbers(2, n));
    let arguments = [In("a", &a), In("b", &b), Out("out", n), Count(n)];
    let out = kernel.run(items, &arguments)?;
    let right: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    expect("out", &out[0], &right)
}
