//! Checks `map_one`, one work-item per element and no spare items.

use std::process::ExitCode;

use exercises::Argument::{In, Out};
use exercises::{Kernel, Outcome, check_kernel, drawn, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/map_one.cl");

fn main() -> ExitCode {
    check_kernel(
        "map_one",
        YOURS,
        "map_one",
        &[
            ("256 elements: one group", |kernel| mapped(kernel, 256)),
            ("1024 elements: four groups", |kernel| mapped(kernel, 1024)),
        ],
    )
}

fn mapped(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let out = kernel.run(n, &[In("a", &a), Out("out", n)])?.remove(0);
    let factor = drawn("factor").unwrap_or(10.0);
    let less = drawn("less").unwrap_or(0.0);
    let right: Vec<f32> = a.iter().map(|a| factor * a - less).collect();
    if out[..n - 1] == right[1..] || out[1..] == right[..n - 1] {
        return Err(wrong(
            "Each item has read its neighbor's element. Item i reads a[i] and \
             writes out[i], the same i on both sides.",
        ));
    }
    expect("out", &out, &right)
}
