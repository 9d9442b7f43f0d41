//! Checks `out_of_bounds`, two accesses outside the arrays.
//!
//! Guard values that are not 0 follow each array: a kernel that reads one
//! shows it in its result, and a kernel that writes past the end destroys one.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, check_kernel, drawn, either, expect, numbers, wrong,
};

const YOURS: &str = exercises::path!("part2_gpu/out_of_bounds.cl");

fn main() -> ExitCode {
    check_kernel(
        "out_of_bounds",
        YOURS,
        "smooth",
        &[
            ("256 elements: no spare items", |k| smooth(k, 256)),
            ("255 elements: one spare item", |k| smooth(k, 255)),
            ("a single element without neighbors", |k| smooth(k, 1)),
            ("777 elements in four groups", |k| smooth(k, 777)),
        ],
    )
}

fn smooth(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let arguments = [In("a", &a), Out("out", n), Count(n)];
    let yours = kernel.run(n, &arguments)?.remove(0);
    let smoothed = |edge: &dyn Fn(usize) -> f32| -> Vec<f32> {
        let right = |i: usize| a.get(i + 1).copied().unwrap_or(edge(i));
        let left = |i: usize| if i > 0 { a[i - 1] } else { edge(i) };
        let each = |i| 0.25 * left(i) + 0.5 * a[i] + 0.25 * right(i);
        (0..n).map(each).collect()
    };
    // A variant draws the elements beyond the ends.
    let edge = drawn("edge").unwrap_or(0.0);
    let right = smoothed(&|_| edge);
    // No valid value is anywhere near a guard value.
    if let Some(i) = yours.iter().position(|y| y.abs() > 1e20) {
        return Err(wrong(format!(
            "out[{i}] is {:e}: it contains a guard value, which follows the \
             {n} elements of a. Item {i} read past the end.",
            yours[i]
        )));
    }
    let other = smoothed(&|i| either(a[i], 0.0));
    if yours[n - 1] == other[n - 1] {
        return Err(wrong(format!(
            "out[{}] is {}. It should be {}. After the last element there is \
             {edge}, not {}.",
            n - 1,
            yours[n - 1],
            right[n - 1],
            either("the last element again", "0")
        )));
    }
    expect("out", &yours, &right)
}
