// parallel: cores when they pay, and the same bits.
//
// WHAT   `map` applies a function to each element: on this thread when there
//        are few, on all cores when there are many. `sum` adds them up, with
//        the same bits for any number of threads.
// WHY    To hand out work takes longer than a short array does. And the sum
//        of f32 numbers depends on where the brackets stand: if the number
//        of threads decides that, no result can be repeated.
// READ   Train the digits
// CHECK  cargo learn check parallel

use rayon::prelude::*;

/// From this many elements on, several cores gain more than they cost.
pub const PARALLEL: usize = 1 << 16;

/// Computes `f` of each element, in order.
pub fn map(x: &[f32], f: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
    // HOLE
    //| // rayon: `x.par_iter()` is what `x.iter()` is, on all cores.
    //| todo!("TODO(parallel): map, on one core or on all")
    if x.len() < PARALLEL {
        x.iter().map(|&x| f(x)).collect()
    } else {
        x.par_iter().map(|&x| f(x)).collect()
    }
    // END HOLE
}

/// Adds up all elements.
pub fn sum(x: &[f32]) -> f32 {
    // HOLE
    //| // `x.par_chunks(4096)` gives pieces of a fixed size, in order.
    //| todo!("TODO(parallel): sum, in fixed pieces")
    const CHUNK: usize = 4096;
    let sums: Vec<f32> =
        x.par_chunks(CHUNK).map(|chunk| chunk.iter().sum()).collect();
    sums.iter().sum()
    // END HOLE
}
