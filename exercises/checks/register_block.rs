//! Checks `register_block`, a matmul whose work-items compute four results
//! each.
//!
//! The last launch is checked by its loads from global memory. Loads from
//! local memory are not counted: a source that repeats a load has the same
//! machine code as one that does not, because the compiler merges them. See
//! docs/benchmarks.md#exercise-checks.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, Stop, check_fast_kernel, drawn, expect, gathered, numbers,
    sparing, spread, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/register_block.cl");
const TILE: usize = 32;
const DEPTH: usize = 16;
/// Items per group along each dimension.
const SIDE: usize = 16;

/// The launch whose accesses are counted: two steps of one group.
const JUDGED: [usize; 3] = [TILE, 2 * DEPTH, TILE];

fn main() -> ExitCode {
    check_fast_kernel(
        "register_block",
        YOURS,
        "matmul_block",
        &[
            ("32 x 16 by 16 x 32: one tile, one step", one_step),
            ("33 x 20 by 20 x 35: tiles that are not full", edges),
            ("32 x 32 by 32 x 32: two steps", two_steps),
        ],
        judge,
    )
}

fn one_step(kernel: &Kernel) -> Outcome {
    // Oclgrind checks the same in the last step, and is slow.
    if kernel.is_simulated() {
        return Ok(());
    }
    compare(
        kernel,
        [TILE, DEPTH, TILE],
        "There is only one step, so either an item adds before the tiles are \
         full, or an index is swapped: an item needs the rows y and y + 16 of \
         the tile of a, and the columns x and x + 16 of the tile of b.",
    )
}

fn edges(kernel: &Kernel) -> Outcome {
    let shape = match kernel.is_simulated() {
        true => [20, 5, 20],
        false => [33, 20, 35],
    };
    compare(
        kernel,
        shape,
        "Here rows, columns and steps end within a tile. Where a or b has no \
         element the tile must contain 0, and an item without a result must \
         still load and wait.",
    )
}

fn two_steps(kernel: &Kernel) -> Outcome {
    compare(
        kernel,
        JUDGED,
        "One step is right, but two are not. The sums must begin with 0 before \
         the first step, not before each; and all items must have finished the \
         sums of one step before the loads of the next begin.",
    )
}

fn compare(kernel: &Kernel, shape: [usize; 3], why: &str) -> Outcome {
    let [m, k, n] = shape;
    let (a, b) = (numbers(1, m * k), numbers(2, k * n));
    let arguments = [
        In("a", &a),
        In("b", &b),
        Out("out", m * n),
        Count(m),
        Count(k),
        Count(n),
    ];
    // One group per tile.
    let items = |size: usize| size.div_ceil(TILE) * SIDE;
    let grid = [items(n), items(m)];
    let yours = kernel.run_grid(grid, &arguments)?.remove(0);
    // A variant adds the distances to multiples of b.
    let times = drawn("times");
    let term =
        |a: f32, b: f32| times.map_or(a * b, |times| (a - times * b).abs());
    let sums = |steps: &dyn Fn(usize) -> bool| -> Vec<f32> {
        let sum = |row: usize, column: usize| -> f32 {
            let all = (0..k).filter(|&i| steps(i / DEPTH));
            all.map(|i| term(a[row * k + i], b[i * n + column])).sum()
        };
        (0..m * n).map(|at| sum(at / n, at % n)).collect()
    };
    let right = sums(&|_| true);
    if let Some(at) = yours.iter().position(|y| y.abs() > 1e20 || y.is_nan()) {
        return Err(wrong(format!(
            "The element at row {} and column {} is {:e}: it contains a guard \
             value, which follows a ({m}, {k}) and b ({k}, {n}). A tile must \
             contain 0 where the matrix has no element.",
            at / n,
            at % n,
            yours[at]
        )));
    }
    if yours != right && yours == sums(&|step| step + 1 == k.div_ceil(DEPTH)) {
        return Err(wrong(
            "The sums contain only the last step: set them to 0 once, before \
             the first step, and let each step add to them.",
        ));
    }
    expect("out", &yours, &right).map_err(|stop| match stop {
        Stop::Wrong { words, .. } => wrong(format!("{words}\n\n{why}")),
        other => other,
    })
}

fn judge(launch: &Launch) -> Outcome {
    let [m, k, n] = JUDGED;
    let each = (2 * m * k * n) as u64 / launch.loads(false).max(1);
    let rung = if each == 16 { ", as in the third rung" } else { "" };
    sparing(
        launch,
        false,
        (2 * m * k * n / TILE) as u64,
        &format!(
            "Now each loaded element is used for {each} results{rung}, but a \
             group has 32 results in each row and column. Load the tiles once \
             per step, for all four results of an item, and keep four sums."
        ),
    )?;
    gathered(
        launch,
        "Adjacent items do not access adjacent elements. Let item 1 load the \
         element after that of item 0, and write the result after its result.",
    )?;
    spread(
        launch,
        "Cells whose addresses are 16 apart are in two of the 32 banks, and \
         each bank serves one at a time. Let adjacent items use adjacent \
         cells, or add an extra cell at the end of each row of the tile.",
    )
}
