//! The check of `vector_add`, a work-item for each element (chapter 12).
//!
//! One group hides a local number, whole groups hide a missing guard, a launch
//! that fits hides a guard that asks for the number of items, and enough items
//! hide a loop in which each does the work of all.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, Out};
use exercises::{Kernel, Outcome, check_kernel, expect, numbers, wrong};

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
            ("256 items for 300 elements: each has its own", one_each),
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

/// Too few items: behind their own elements nothing may be written.
fn one_each(kernel: &Kernel) -> Outcome {
    let (n, items) = (300, 256);
    let (a, b) = (numbers(1, n), numbers(2, n));
    let arguments = [In("a", &a), In("b", &b), Log(n), Count(n)];
    let out = kernel.run(items, &arguments)?.remove(0);
    let others = out[items..].iter().filter(|value| **value != 0.0).count();
    if others > 0 {
        return Err(wrong(format!(
            "{items} work-items ran for {n} elements, and {others} elements \
             more than that were written: an item did the work of others. The \
             kernel needs no loop, the device runs it once for each element."
        )));
    }
    Ok(())
}
