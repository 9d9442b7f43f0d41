//! Checks `out_of_bounds`, two accesses outside the arrays.
//!
//! Guard values that are not 0 follow each array: a kernel that reads one
//! shows it in its result, and a kernel that writes past the end destroys one.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_kernel, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/out_of_bounds.cl");

fn main() -> ExitCode {
    check_kernel(
        "out_of_bounds",
        YOURS,
        "smooth",
        &[
            ("256 elements: no spare items", |k| smooth(k, 256)),
            ("255 elements: one spare item", |k| smooth(k, 255)),
            ("a single element, and zeros on both sides", |k| smooth(k, 1)),
            ("777 elements in four groups", |k| smooth(k, 777)),
        ],
    )
}

fn smooth(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let arguments = [In("a", &a), Out("out", n), Count(n)];
    let yours = kernel.run(n, &arguments)?.remove(0);
    let at = |i: usize| a.get(i).copied().unwrap_or(0.0);
    let right: Vec<f32> = (0..n)
        .map(|i| {
            let left = if i > 0 { at(i - 1) } else { 0.0 };
            0.25 * left + 0.5 * at(i) + 0.25 * at(i + 1)
        })
        .collect();
    // No valid value is anywhere near a guard value.
    if let Some(i) = yours.iter().position(|y| y.abs() > 1e20) {
        return Err(wrong(format!(
            "out[{i}] is {:e}: it contains a guard value, which follows the \
             {n} elements of a. Item {i} read past the end.",
            yours[i]
        )));
    }
    // The last element was read again instead of a zero.
    let last = a[n - 1];
    if yours[n - 1] == right[n - 1] + 0.25 * last {
        return Err(wrong(format!(
            "out[{}] is {}. It should be {}. After the last element there is a \
             zero, not the last element again.",
            n - 1,
            yours[n - 1],
            right[n - 1]
        )));
    }
    expect("out", &yours, &right)
}
