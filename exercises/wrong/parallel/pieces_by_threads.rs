// As many pieces as there are threads: the brackets move with the machine.

use rayon::prelude::*;

/// From this many elements on, several cores gain more than they cost.
pub const PARALLEL: usize = 1 << 16;

/// Computes `f` of each element, in order.
pub fn map(x: &[f32], f: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
    if x.len() < PARALLEL {
        x.iter().map(|&x| f(x)).collect()
    } else {
        x.par_iter().map(|&x| f(x)).collect()
    }
}

/// Adds up all elements.
pub fn sum(x: &[f32]) -> f32 {
    let piece = x.len().div_ceil(rayon::current_num_threads());
    let sums: Vec<f32> =
        x.par_chunks(piece).map(|chunk| chunk.iter().sum()).collect();
    sums.iter().sum()
}
