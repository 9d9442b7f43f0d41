//! A product in tiles, of "The matmul ladder": a group goes along `k`, loads a
//! tile of both matrices, and shares it. Each load is counted in its trace.

use std::cell::RefCell;

use rungrad::Error;
use rungrad::workgroup::{Access, Event, Group, Schedule};
use serde_json::{Value, json};

use crate::kernels::{Kernel, Tiles, run};
use crate::numbers;

/// Rows and columns of both matrices.
const N: usize = 8;

/// Writes a small matrix of numbers that differ.
fn matrix(by: usize) -> Vec<f32> {
    let value = |at: usize| {
        let (row, column) = (at / N, at % N);
        (row * by + column * 3 + (row + 1) * (column + 2) / 3) % 4
    };
    (0..N * N).map(|at| value(at) as f32).collect()
}

/// Answers a tile's side and the corner of its tile of the result: the sums
/// after each step, and how many numbers were loaded in it.
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
    let of = Tiles { n: N, a, b, tile, corner, sums };
    let group = Group { items: tile * tile, cells: 2 * tile * tile };
    let trace = run(group, Schedule::Lockstep, &Kernel::Tiles(&of));
    // Two barriers a step, and a number that is put into local memory was
    // loaded from global memory.
    let count = |step: usize, access: Access| {
        let is = |it: &&Event| it.phase / 2 == step && it.access == access;
        trace.events.iter().filter(is).count()
    };
    let sums = of.sums.borrow();
    let steps = sums.iter().enumerate().map(|(step, sums)| {
        json!({
            "sums": numbers(sums),
            "global": count(step, Access::Write),
            "local": count(step, Access::Read),
        })
    });
    Ok(json!({
        "a": numbers(&of.a), "b": numbers(&of.b),
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
