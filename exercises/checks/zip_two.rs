//! Checks `zip_two`, two input elements per work-item.

use std::process::ExitCode;

use exercises::Argument::{In, Out};
use exercises::{Kernel, Outcome, check_kernel, drawn, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/zip_two.cl");

fn main() -> ExitCode {
    check_kernel(
        "zip_two",
        YOURS,
        "zip_two",
        &[
            ("256 pairs: one group", |kernel| zipped(kernel, 256)),
            ("1024 pairs: four groups", |kernel| zipped(kernel, 1024)),
        ],
    )
}

fn zipped(kernel: &Kernel, n: usize) -> Outcome {
    let (a, b) = (numbers(1, n), numbers(2, n));
    let arguments = [In("a", &a), In("b", &b), Out("out", n)];
    let out = kernel.run(n, &arguments)?.remove(0);
    let times = drawn("times").unwrap_or(1.0);
    let b: Vec<f32> = b.iter().map(|b| times * b).collect();
    let of = |partner: &dyn Fn(usize) -> Option<f32>| {
        let mut pairs = out.iter().zip(&a).enumerate();
        pairs.all(|(i, (out, a))| partner(i).is_none_or(|b| *out == a - b))
    };
    if of(&|i| Some(b[i])) {
        return Ok(());
    }
    if out.iter().zip(a.iter().zip(&b)).all(|(out, (a, b))| *out == b - a) {
        return Err(wrong(
            "The sign is wrong: subtract the element of b from that of a.",
        ));
    }
    if of(&|_| Some(b[0])) {
        return Err(wrong(
            "All items have subtracted the first element of b. `*b` is b[0]; \
             use b[i] with a[i].",
        ));
    }
    let before = |i: usize| i.checked_sub(1).and_then(|i| b.get(i)).copied();
    if of(&|i| b.get(i + 1).copied()) || of(&before) {
        return Err(wrong(
            "Each element of a was combined with the wrong element of b. Use \
             the same i for all three arrays.",
        ));
    }
    let right: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    expect("out", &out, &right)
}
