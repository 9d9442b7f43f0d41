// All cores for every array: to wake them takes longer than ten elements do.

use rayon::prelude::*;

/// From this many elements on, several cores gain more than they cost.
pub const PARALLEL: usize = 1 << 16;

/// Computes `f` of each element, in order.
pub fn map(x: &[f32], f: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
    x.par_iter().map(|&x| f(x)).collect()
}

/// Adds up all elements.
pub fn sum(x: &[f32]) -> f32 {
    const CHUNK: usize = 4096;
    let sums: Vec<f32> =
        x.par_chunks(CHUNK).map(|chunk| chunk.iter().sum()).collect();
    sums.iter().sum()
}
