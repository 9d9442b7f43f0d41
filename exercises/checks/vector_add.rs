//! Checks `vector_add`, one work-item per element.
//!
//! One group hides the use of a local index, and whole groups hide a missing
//! bounds check. A launch of the exact size hides a check against the number
//! of items, and enough items hide a loop in which each item does all the
//! work. A grid-stride loop is good practice and passes.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, Out};
use exercises::{
    Kernel, Outcome, check_kernel, counting, drawn, expect, numbers, wrong,
};

const YOURS: &str = exercises::path!("part2_gpu/vector_add.cl");

fn main() -> ExitCode {
    check_kernel(
        "vector_add",
        YOURS,
        "vector_add",
        &[
            ("256 elements: one group, no spare items", |kernel| {
                added(kernel, 256, 256)
            }),
            ("256 items for 300 elements: each computes its own", one_each),
            (
                "777 elements: four groups, the last one partly filled",
                |kernel| added(kernel, 777, 777),
            ),
            ("300 elements, but eight groups", |kernel| {
                added(kernel, 300, 2000)
            }),
        ],
    )
}

/// Adds `n` pairs in a launch of `items` work-items.
fn added(kernel: &Kernel, n: usize, items: usize) -> Outcome {
    let (a, b) = (numbers(1, n), numbers(2, n));
    let arguments = [In("a", &a), In("b", &b), Out("out", n), Count(n)];
    let out = kernel.run(items, &arguments)?;
    let times = drawn("times").unwrap_or(1.0);
    let pairs = a.iter().zip(&b);
    let right: Vec<f32> = pairs.map(|(a, b)| a + times * b).collect();
    expect("out", &out[0], &right)
}

/// At most two elements per item: no item may write to `out` more often.
fn one_each(kernel: &Kernel) -> Outcome {
    let (n, items) = (300, 256);
    let (a, b) = (numbers(1, n), numbers(2, n));
    let count = |text: &str| counting(text, "vector_add", &["out"], "");
    let Some(kernel) = kernel.altered(count)? else { return Ok(()) };
    let arguments = [In("a", &a), In("b", &b), Log(n), Count(n), Log(items)];
    let counts = kernel.run(items, &arguments)?.remove(1);
    let busiest = counts.iter().copied().fold(0.0, f32::max);
    if busiest > 2.0 {
        return Err(wrong(format!(
            "{items} work-items ran for {n} elements, and one of them accessed \
             out[..] {busiest} times: that item did the work of others. The \
             kernel needs no loop over all elements, because the device runs \
             it once per element."
        )));
    }
    Ok(())
}
