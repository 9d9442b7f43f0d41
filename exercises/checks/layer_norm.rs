//! Checks `layer_norm`, one work-group per row.
//!
//! All values are multiples of 0.25, and the sum of a row around 4096 fits an
//! `f32` almost exactly, so any error comes from the formula. The memory
//! accesses of the last launch are counted by Oclgrind.

use std::process::ExitCode;

use exercises::Argument::{Count, In, PerRow};
use exercises::{
    Kernel, Outcome, Stop, check_fast_kernel, drawn, evenly, expect, gathered,
    numbers, sparing, together, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/layer_norm.cl");
const GROUP: usize = 256;
const EPS: f64 = 1e-5;

/// The matrix of the last step, whose memory accesses are counted.
const JUDGED: [usize; 2] = [2, 1024];

fn main() -> ExitCode {
    check_fast_kernel(
        "layer_norm",
        YOURS,
        "layer_norm",
        &[
            ("a row of 256: one column per item", |kernel| {
                mixed(kernel, [1, 256])
            }),
            ("3 rows of 10: most items have no column", |kernel| {
                mixed(kernel, [3, 10])
            }),
            ("2 rows of 1000: the last round is partly filled", |kernel| {
                mixed(kernel, [2, 1000])
            }),
            ("a row of equal elements, and one of tiny ones", flat),
            ("2 rows of 1024, whose mean is 4096", far),
        ],
        judge,
    )
}

fn run(
    kernel: &Kernel,
    a: &[f32],
    [rows, columns]: [usize; 2],
) -> Result<Vec<f32>, Stop> {
    let out = PerRow("out", [rows, columns]);
    let arguments = [In("a", a), out, Count(columns)];
    Ok(kernel.run(GROUP * rows, &arguments)?.remove(0))
}

/// Returns a row minus its mean, and its variance.
fn centered(row: &[f32]) -> (Vec<f64>, f64) {
    let mean = |values: &[f64]| -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    };
    let row: Vec<f64> = row.iter().map(|x| f64::from(*x)).collect();
    let middle = mean(&row);
    let away: Vec<f64> = row.iter().map(|x| x - middle).collect();
    let squares: Vec<f64> = away.iter().map(|x| x * x).collect();
    (away, mean(&squares))
}

/// Applies `element` to each value, its distance from the mean, and the
/// variance.
fn rows_by(
    a: &[f32],
    columns: usize,
    element: impl Fn(f64, f64, f64) -> f64,
) -> Vec<f32> {
    let row = |row: &[f32]| -> Vec<f32> {
        let (away, variance) = centered(row);
        let pairs = row.iter().zip(&away);
        pairs
            .map(|(x, it)| element(f64::from(*x), *it, variance) as f32)
            .collect()
    };
    a.chunks(columns).flat_map(row).collect()
}

/// Returns the expected values. A variant divides each element by the root of
/// the mean square instead of the distance by the root of the variance, and has
/// a gain.
fn right(a: &[f32], columns: usize) -> Vec<f32> {
    let gain = drawn("gain").map(f64::from);
    rows_by(a, columns, |x, away, variance| match gain {
        None => away / (variance + EPS).sqrt(),
        Some(gain) => {
            let mean = x - away;
            gain * x / (variance + mean * mean + EPS).sqrt()
        }
    })
}

fn mixed(kernel: &Kernel, shape: [usize; 2]) -> Outcome {
    let columns = shape[1];
    let a = numbers(1, shape[0] * columns);
    let yours = run(kernel, &a, shape)?;
    let is = |element: &dyn Fn(f64, f64, f64) -> f64| {
        expect("", &yours, &rows_by(&a, columns, element)).is_ok()
    };
    let n = columns as f64;
    let right = right(&a, columns);
    if expect("out", &yours, &right).is_ok() {
        return Ok(());
    }
    let why = if is(&|_, away, v| away / (v * n / (n - 1.0) + EPS).sqrt()) {
        "The squares are divided by columns - 1. That estimates the variance \
         from a sample; here the row is complete, and its variance is the mean \
         of the squares: divide by columns."
    } else if is(&|_, away, v| away / (v + EPS)) {
        "Each element is divided by the variance. It should be divided by the \
         square root of the variance."
    } else if is(&|_, away, _| away) {
        "The mean was subtracted from each element, but the result was not \
         divided by the root of the variance."
    } else if is(&|x, _, v| x / (v + EPS).sqrt()) {
        "Each element is divided by the right root, but the mean was not \
         subtracted."
    } else {
        return expect("out", &yours, &right);
    };
    Err(wrong(why))
}

/// One row with variance 0, and one whose variance is not larger than EPS.
fn flat(kernel: &Kernel) -> Outcome {
    let n = 300;
    let mut a = vec![2.5; n];
    a.extend(numbers(2, n).iter().map(|x| x / 1024.0));
    let yours = run(kernel, &a, [2, n])?;
    if let Some(at) = yours.iter().position(|y| y.is_nan()) {
        return Err(wrong(format!(
            "out[{at}] is NaN: the elements of the row are equal, so its \
             variance is 0, and 0 was divided by 0. EPS must be added to the \
             variance before the square root."
        )));
    }
    let outside = |_: f64, away: f64, v: f64| away / (v.sqrt() + EPS);
    if expect("", &yours, &rows_by(&a, n, outside)).is_ok() {
        return Err(wrong(
            "EPS is added to the root. It should be added to the variance, \
             under the root: for elements as small as these it matters.",
        ));
    }
    expect("out", &yours, &right(&a, n))
}

/// Adding a constant to a row changes nothing, except for rounding.
fn far(kernel: &Kernel) -> Outcome {
    let [rows, columns] = JUDGED;
    let a = numbers(3, rows * columns).into_iter().map(|x| x + 4096.0);
    let a: Vec<f32> = a.collect();
    let yours = run(kernel, &a, JUDGED)?;
    let right = right(&a, columns);
    let near = |yours: &[f32], right: &[f32], by: f64| {
        let mut pairs = yours.iter().zip(right);
        pairs.all(|(y, r)| (f64::from(*y) - by * f64::from(*r)).abs() <= 2e-3)
    };
    if near(&yours, &right, 1.0) {
        return Ok(());
    }
    for (row, (yours, (right, a))) in yours
        .chunks(columns)
        .zip(right.chunks(columns).zip(a.chunks(columns)))
        .enumerate()
    {
        let (_, variance) = centered(a);
        let lost = "If squares are added up before the mean is subtracted, the \
                    variance is the difference of two numbers near 16.8 \
                    million, where f32 values are 2 apart: what is left is \
                    rounding error. Subtract the mean from each element first, \
                    and square then.";
        if yours.iter().any(|y| y.is_nan()) {
            return Err(wrong(format!(
                "Row {row} is NaN, although it was right without the 4096 that \
                 is added here: the variance, which is {variance:.3}, came out \
                 negative. {lost}"
            )));
        }
        // The same row, divided by a different root.
        let by = f64::from(yours[0]) / f64::from(right[0]);
        if (by - 1.0).abs() > 2e-3 && near(yours, right, by) {
            return Err(wrong(format!(
                "Row {row} is divided by the root of {:.3}, but its variance \
                 is {variance:.3}; without the 4096 that is added here it was \
                 right. {lost}",
                (variance + EPS) / (by * by)
            )));
        }
    }
    expect("out", &yours, &right)
}

fn judge(launch: &Launch) -> Outcome {
    let [rows, columns] = JUDGED;
    together(
        launch,
        "A step of a warp takes as long for one item as for all of them. Give \
         each item a part of the row: its own column, and from there every \
         256th.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. \
         Give all 256 items a part of the row: each its own column, and from \
         there every 256th.",
    )?;
    gathered(
        launch,
        "Adjacent items do not read adjacent elements. In the same step of its \
         loop item 1 should have the column after that of item 0, and item 2 \
         the next.",
    )?;
    sparing(
        launch,
        false,
        3 * (rows * columns) as u64,
        "The row is needed three times: for its mean, for its variance, and \
         for the output. Each time an item needs only its own part of it, and \
         the tree combines the parts.",
    )
}
