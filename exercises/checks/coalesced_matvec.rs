//! Checks `coalesced_matvec`, one work-group per row.
//!
//! Correct results do not show which item read what, so Oclgrind counts the
//! memory sectors that each warp touches in the last launch.

use std::process::ExitCode;

use exercises::Argument::{Count, In, PerGroup};
use exercises::{
    Kernel, Outcome, Stop, check_fast_kernel, drawn_reduction, evenly, expect,
    gathered, numbers, together, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/coalesced_matvec.cl");
const GROUP: usize = 256;

fn main() -> ExitCode {
    check_fast_kernel(
        "coalesced_matvec",
        YOURS,
        "coalesced_matvec",
        &[
            ("3 rows of 256: one column per item", |kernel| {
                product(kernel, [3, 256], 3)
            }),
            ("2 rows of 1000: the last round is partly filled", |kernel| {
                product(kernel, [2, 1000], 2)
            }),
            ("2 rows of 70: most items have no column", |kernel| {
                product(kernel, [2, 70], 2)
            }),
            ("5 groups for 3 rows", |kernel| product(kernel, [3, 300], 5)),
            ("32 rows of 600: three rounds", |kernel| {
                product(kernel, [32, 600], 32)
            }),
        ],
        coalesced,
    )
}

/// Runs the kernel for `m` rows of `k` elements with a number of groups.
fn product(kernel: &Kernel, [m, k]: [usize; 2], groups: usize) -> Outcome {
    let (a, v) = (numbers(1, m * k), numbers(2, k));
    let arguments =
        [In("a", &a), In("v", &v), PerGroup("out", m), Count(m), Count(k)];
    let ran = kernel.run(GROUP * groups, &arguments);
    let mut out = ran.map_err(|stop| match stop {
        Stop::Wrong { words, .. } if words.contains("groups ran for") => {
            wrong(format!("{words} Here that is: compare row with m."))
        }
        other => other,
    })?;
    let out = out.remove(0);
    if let Some(row) = out.iter().position(|y| y.abs() > 1e20) {
        return Err(wrong(format!(
            "out[{row}] is {:e}: it contains a guard value, which follows the \
             {k} elements of v. Some item read v[i] for an i of {k} or more: \
             there is no such column, so the item must contribute 0.",
            out[row]
        )));
    }
    let sums = |element: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
        let sum = |row| (0..k).map(|i| element(row, i) * v[i]).sum();
        (0..m).map(sum).collect()
    };
    let (none, both) = drawn_reduction();
    let reduced = |row| (0..k).map(|i| a[row * k + i] * v[i]).fold(none, both);
    let right: Vec<f32> = (0..m).map(reduced).collect();
    let is = |other: Vec<f32>| out != right && out == other;
    if is(sums(&|row, i| a[i * m + row])) {
        return Err(wrong(
            "These are the sums for a matrix that is stored column by column. \
             Here it is stored row by row: y whole rows of k elements come \
             before row y.",
        ));
    }
    if is(sums(&|row, i| if i % GROUP == 0 { a[row * k + i] } else { 0.0 })) {
        return Err(wrong(
            "out contains only the sum of item 0. The sums of the other items \
             of its group are missing.",
        ));
    }
    expect("out", &out, &right)
}

/// Adjacent items must read adjacent elements, and all items must read.
fn coalesced(launch: &Launch) -> Outcome {
    gathered(
        launch,
        "Adjacent items do not read adjacent elements. In the same step of its \
         loop item 1 should read the element after that of item 0, and item 2 \
         the next.",
    )?;
    together(
        launch,
        "A step of a warp takes as long for one item as for all of them. Let \
         each item add up some of the products.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         all 256 items add up some of the products.",
    )
}
