//! Checks `tiled_matmul`, a tiled matrix multiplication with a transposed
//! operand.
//!
//! Each step adds one possible mistake, so the first step that fails
//! identifies it. Correct values do not show which item loaded what, so the
//! last step inserts code into the learner's kernel to count the loads.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, Out};
use exercises::{
    Kernel, Outcome, Stop, check_fast_kernel, counting, drawn, expect,
    gathered, numbers, sparing, spread, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/tiled_matmul.cl");
const TILE: usize = 16;

/// The matrices of the last step, which is counted: whole tiles.
const JUDGED: [usize; 3] = [TILE, 3 * TILE, 2 * TILE];

/// The loads of that step, if each element is loaded once for the 16 results
/// of its row or column in a tile.
const ENOUGH: usize = 2 * JUDGED[0] * JUDGED[1] * JUDGED[2] / TILE;

/// The explanation of `ENOUGH`.
const TAKE: &str = "Each item loads one element of each matrix into the tiles \
                    per step, and reads all others from there.";

fn main() -> ExitCode {
    check_fast_kernel(
        "tiled_matmul",
        YOURS,
        "matmul_transposed",
        &[
            ("16 x 16 by 16 x 16: one tile, one step", one_step),
            ("k = 48: three steps", three_steps),
            ("k = 20: the last tile is partly filled", ragged_step),
            ("19 rows and 21 columns: groups beyond the edge", edges),
            ("each element is loaded once for 16 results", shared),
        ],
        loads,
    )
}

fn one_step(kernel: &Kernel) -> Outcome {
    // Oclgrind checks the same in the last step, and is slow.
    if kernel.is_simulated() {
        return Ok(());
    }
    let [m, k, n] = [TILE; 3];
    let (a, b) = (numbers(1, m * k), numbers(2, n * k));
    let yours = product(kernel, [m, k, n])?;
    let plain = |row: usize, column: usize| -> f32 {
        (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum()
    };
    if yours == matrix([m, n], plain) {
        return Err(wrong(
            "out is a x b. Here b is transposed: the element at `row` and \
             `column` is row `row` of a times *row* `column` of b. In the tile \
             of b, too, an item reads along a row.",
        ));
    }
    judge(
        [m, k, n],
        &yours,
        "There is only one step of 16, so either an item adds before the tiles \
         are full, or an index is swapped, or the loop has a wrong step. An \
         item fills the cell [y][x] of both tiles, and then reads row y of one \
         and row x of the other.",
    )
}

fn three_steps(kernel: &Kernel) -> Outcome {
    if kernel.is_simulated() {
        return Ok(());
    }
    let shape = [TILE, 3 * TILE, TILE];
    judge(
        shape,
        &product(kernel, shape)?,
        "One step is right, but three are not. Two things matter from the \
         second step on: a row of a or b has k elements instead of 16; and \
         every item must have finished the sums of one step before the loads \
         of the next, so the loop needs a barrier at its end, too.",
    )
}

fn ragged_step(kernel: &Kernel) -> Outcome {
    let shape @ [m, k, n] = [TILE, 20, TILE];
    let yours = product(kernel, shape)?;
    let (a, b) = (numbers(1, m * k), numbers(2, n * k));
    let whole = |row: usize, column: usize| -> f32 {
        (0..TILE).map(|i| a[row * k + i] * b[column * k + i]).sum()
    };
    if yours == matrix([m, n], whole) {
        return Err(wrong(
            "The last step is missing: 20 columns are one tile and 4 more. \
             Continue the loop as long as `start` is below `k`.",
        ));
    }
    judge(
        shape,
        &yours,
        "In the last step only 4 columns of the tiles are inside the matrices. \
         The others must contain 0, in both tiles, or the values of the \
         previous step are added again.",
    )
}

fn edges(kernel: &Kernel) -> Outcome {
    let shapes = match kernel.is_simulated() {
        true => &[[19, 5, 21], [1, 1, 1]][..],
        false => &[[19, 20, 21], [1, 1, 1], [33, 17, 5]],
    };
    for &shape in shapes {
        judge(
            shape,
            &product(kernel, shape)?,
            "Some items have no element of the result here, or no row of b to \
             load. They must not write, but they must load an element or a 0, \
             and reach every barrier.",
        )?;
    }
    Ok(())
}

/// Returns the product, or an error if it contains a guard value.
fn product(kernel: &Kernel, shape: [usize; 3]) -> Result<Vec<f32>, Stop> {
    let [m, k, n] = shape;
    let yours = run(kernel, shape, None)?.remove(0);
    let Some(at) = yours.iter().position(|y| y.abs() > 1e20 || y.is_nan())
    else {
        return Ok(yours);
    };
    Err(wrong(format!(
        "The element at row {} and column {} is {:e}: it contains a guard \
         value, which follows a ({m}, {k}) and b ({n}, {k}). A tile must \
         contain 0 where the matrix has no element.",
        at / n,
        at % n,
        yours[at]
    )))
}

fn run(
    kernel: &Kernel,
    [m, k, n]: [usize; 3],
    log: Option<usize>,
) -> Result<Vec<Vec<f32>>, Stop> {
    let (a, b) = (numbers(1, m * k), numbers(2, n * k));
    let mut arguments = vec![
        In("a", &a),
        In("b", &b),
        Out("out", m * n),
        Count(m),
        Count(k),
        Count(n),
    ];
    arguments.extend(log.map(Log));
    kernel.run_grid([n, m], &arguments)
}

fn judge([m, k, n]: [usize; 3], yours: &[f32], why: &str) -> Outcome {
    let (a, b) = (numbers(1, m * k), numbers(2, n * k));
    // A variant asks for the squared distance to a multiple of the row of b.
    let times = drawn("times");
    let term =
        |a: f32, b: f32| times.map_or(a * b, |times| (a - times * b).powi(2));
    let right = matrix([m, n], |row, column| {
        (0..k).map(|i| term(a[row * k + i], b[column * k + i])).sum()
    });
    expect("out", yours, &right).map_err(|stop| match stop {
        Stop::Wrong { words, .. } => wrong(format!("{words}\n\n{why}")),
        other => other,
    })
}

fn matrix(
    [m, n]: [usize; 2],
    element: impl Fn(usize, usize) -> f32,
) -> Vec<f32> {
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// Counts the loads from `a` and `b`, for whole tiles.
fn shared(kernel: &Kernel) -> Outcome {
    let [m, k, n] = JUDGED;
    let count =
        |text: &str| counting(text, "matmul_transposed", &["a", "b"], "");
    let Some(kernel) = kernel.altered(count)? else {
        // Oclgrind counts the loads of this launch.
        return product(kernel, [m, k, n]).map(drop);
    };
    let counts = run(&kernel, [m, k, n], Some(m * n))?.remove(1);
    let loads: f32 = counts.iter().sum();
    if loads as usize <= ENOUGH {
        return Ok(());
    }
    Err(wrong(format!(
        "The values are right, but loaded too often: for a ({m}, {k}) and b \
         ({n}, {k}) your items read a[..] and b[..] {loads} times; {ENOUGH} \
         loads would be enough. {TAKE}"
    )))
}

/// Loads through a pointer are missed by the inserted code, but not by
/// Oclgrind.
fn loads(launch: &Launch) -> Outcome {
    sparing(launch, false, ENOUGH as u64, TAKE)?;
    gathered(
        launch,
        "Adjacent items do not load adjacent elements: item (x, y) should load \
         the element at `start + x`, so that x runs along the row in memory, \
         too.",
    )?;
    spread(
        launch,
        "16 cells whose addresses are 16 apart are in two banks, and each bank \
         serves one at a time. With the extra cell at the end of each row of \
         `b_tile` they are in 16 banks.",
    )
}
