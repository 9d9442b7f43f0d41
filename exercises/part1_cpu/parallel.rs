// parallel: use several cores when it pays, with the same bits.
//
// WHAT   `map` applies a function to each element: on this thread if there are
//        few, on all cores if there are many. `sum` adds the elements, and its
//        result must have the same bits for any number of threads.
// WHY    Distributing work takes longer than processing a short array. And
//        floating-point addition is not associative: if the grouping depended
//        on the number of threads, results could not be reproduced.
// READ   Time it honestly
// CHECK  cargo learn check parallel

use rayon::prelude::*;

/// Number of elements from which several cores are faster.
pub const PARALLEL: usize = 1 << 16;

/// Returns `f` of each element, in order.
pub fn map(x: &[f32], f: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
    // rayon: `x.par_iter()` is like `x.iter()`, on all cores.
    todo!("TODO(parallel): map, on one core or on all")
}

/// Returns the sum of all elements.
pub fn sum(x: &[f32]) -> f32 {
    // `x.par_chunks(4096)` returns chunks of a fixed size, in order.
    todo!("TODO(parallel): sum, in chunks of a fixed size")
}
