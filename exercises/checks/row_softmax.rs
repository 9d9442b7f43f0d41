//! Checks `row_softmax`, one work-group per row.
//!
//! Correct values do not show how often a row was loaded, so Oclgrind counts
//! the accesses of the last launch.

use std::process::ExitCode;

use exercises::Argument::{Count, In, PerRow};
use exercises::{
    Kernel, Outcome, check_fast_kernel, drawn, evenly, expect, gathered,
    numbers, sparing, together, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/row_softmax.cl");
const GROUP: usize = 256;

/// The matrix of the last step, which is counted: four elements per item.
const JUDGED: [usize; 2] = [2, 1024];

fn main() -> ExitCode {
    check_fast_kernel(
        "row_softmax",
        YOURS,
        "row_softmax",
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
            ("numbers near 1000, and near -1000", extreme),
            ("2 rows of 1024, the widest", |kernel| mixed(kernel, JUDGED)),
        ],
        judge,
    )
}

fn mixed(kernel: &Kernel, shape: [usize; 2]) -> Outcome {
    let a = numbers(1, shape[0] * shape[1]);
    shares(kernel, &a, shape)
}

/// Adding a constant to a row does not change its probabilities.
fn extreme(kernel: &Kernel) -> Outcome {
    let near = |by: f32| numbers(2, 20).iter().map(|x| x + by).collect();
    for (a, by) in [(near(1000.0), 1000), (near(-1000.0), -1000)] {
        let a: Vec<f32> = a;
        shares(kernel, &a, [2, 10]).map_err(|stop| match stop {
            exercises::Stop::Wrong { words, .. } => wrong(format!(
                "The elements of these rows are near {by}.\n\n{words}"
            )),
            other => other,
        })?;
    }
    Ok(())
}

fn shares(kernel: &Kernel, a: &[f32], [rows, columns]: [usize; 2]) -> Outcome {
    let shape = [rows, columns];
    let arguments = [In("a", a), PerRow("out", shape), Count(columns)];
    let yours = kernel.run(GROUP * rows, &arguments)?.remove(0);
    // A variant draws a temperature that divides the scores.
    let temperature = drawn("temperature").map_or(1.0, f64::from);
    // The exponentials of each row, divided by `by` of them.
    let divided = |by: &dyn Fn(&[f64]) -> f64| -> Vec<f32> {
        let shares = |row: &[f32]| -> Vec<f32> {
            let row = row.iter().map(|x| f64::from(*x));
            let largest = row.clone().fold(f64::NEG_INFINITY, f64::max);
            let exp = |x: f64| ((x - largest) / temperature).exp();
            let exps: Vec<f64> = row.map(exp).collect();
            let by = by(&exps);
            exps.iter().map(|e| (e / by) as f32).collect()
        };
        a.chunks(columns).flat_map(shares).collect()
    };
    let right = divided(&|exps| exps.iter().sum());
    if expect("out", &yours, &right).is_ok() {
        return Ok(());
    }
    if let Some(at) = yours.iter().position(|y| !y.is_finite()) {
        let is = |other: Vec<f32>| {
            let same =
                |(y, o): (&f32, &f32)| y == o || y.is_nan() && o.is_nan();
            yours.iter().zip(&other).all(same)
        };
        let why = match (is(as_they_are(a, columns)), a[at] > 0.0) {
            (true, true) => {
                "The exponential of such an element overflows an f32: subtract \
                 the maximum of the row from each of them first, so that no \
                 exponential is more than 1."
            }
            (true, false) => {
                "This is the result if 0 is subtracted from each element, as \
                 if it were the maximum: every exponential is 0, and so is \
                 their sum. For a negative row the search must begin with \
                 -INFINITY."
            }
            _ => "A probability is between 0 and 1.",
        };
        return Err(wrong(format!("out[{at}] is {}. {why}", yours[at])));
    }
    let is = |other: Vec<f32>| expect("", &yours, &other).is_ok();
    let why = if is(divided(&|_| 1.0)) {
        "These are the exponentials, not divided by their sum."
    } else if is(divided(&|exps| exps.iter().step_by(GROUP).sum())) {
        "Each row is divided by the sum of item 0 alone. The sums of the other \
         items of its group are missing: the second tree must add them."
    } else if is(divided(&|exps| exps.iter().take(GROUP).sum())) {
        "The sum contains only the first 256 columns of the row: an item must \
         continue in steps of 256."
    } else {
        return expect("out", &yours, &right);
    };
    Err(wrong(why))
}

/// Computes the softmax in `f32` without subtracting the maximum.
fn as_they_are(a: &[f32], columns: usize) -> Vec<f32> {
    let shares = |row: &[f32]| -> Vec<f32> {
        let exps = row.iter().map(|x| x.exp());
        let exps: Vec<f32> = exps.collect();
        let sum: f32 = exps.iter().sum();
        exps.iter().map(|e| e / sum).collect()
    };
    a.chunks(columns).flat_map(shares).collect()
}

/// The shape of the trees does not matter here: it has little effect on the
/// time, unlike repeated loads. See docs/benchmarks.md#exercise-checks.
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
        (rows * columns) as u64,
        "Each element of the row is loaded again for the exponentials, or for \
         the output. After loading an element, keep it in `kept`, and later \
         its exponential.",
    )
}
