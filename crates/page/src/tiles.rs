//! The tile figure of "The matmul ladder": a work-group moves along `k`, loads
//! a tile of both matrices, and shares it. The loads are counted in its trace.

use std::cell::RefCell;

use rungrad::Error;
use rungrad::workgroup::{Access, Event, Group, Schedule};
use serde_json::{Value, json};

use crate::kernels::{Kernel, Tiles, run};
use crate::numbers;

/// The number of rows and columns of both matrices.
const N: usize = 8;

/// Returns a small matrix of different values.
fn matrix(by: usize) -> Vec<f32> {
    let value = |at: usize| {
        let (row, column) = (at / N, at % N);
        (row * by + column * 3 + (row + 1) * (column + 2) / 3) % 4
    };
    (0..N * N).map(|at| value(at) as f32).collect()
}

/// Answers the side of a tile and the corner of its tile of the result: the
/// sums and the number of loaded elements after each step.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let words: Option<Vec<usize>> =
        words.iter().map(|word| word.parse().ok()).collect();
    let [tile, top, left] = words.as_deref().unwrap_or_default() else {
        return Err(usage());
    };
    let (tile, corner) = (*tile, [*top, *left]);
    let fits = |at: usize| (0..N).step_by(tile).any(|it| it == at);
    if ![2, 4, 8].contains(&tile) || !corner.into_iter().all(fits) {
        return Err(usage());
    }
    let sums = RefCell::new(vec![vec![0.0; tile * tile]; N / tile]);
    let (a, b) = (matrix(5), matrix(2));
    let tiles = Tiles { n: N, a, b, tile, corner, sums };
    let group = Group { items: tile * tile, cells: 2 * tile * tile };
    let trace = run(group, Schedule::Lockstep, &Kernel::Tiles(&tiles));
    // There are two barriers in a step, and each write to local memory follows
    // a load from global memory.
    let count = |step: usize, access: Access| {
        let is = |it: &&Event| it.phase / 2 == step && it.access == access;
        trace.events.iter().filter(is).count()
    };
    let sums = tiles.sums.borrow();
    let steps = sums.iter().enumerate().map(|(step, sums)| {
        json!({
            "sums": numbers(sums),
            "global": count(step, Access::Write),
            "local": count(step, Access::Read),
        })
    });
    Ok(json!({
        "a": numbers(&tiles.a), "b": numbers(&tiles.b),
        "steps": steps.collect::<Value>(),
    }))
}

fn usage() -> Error {
    Error::Usage(
        "tiles take a side of 2, 4 or 8, and the row and the column where \
         one begins"
            .to_string(),
    )
}
