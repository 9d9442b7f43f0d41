//! "Reductions and barriers": five kernels beside [`REDUCE_SUM`], which all add
//! up everything.
//!
//! [`REDUCE_SUM`]: super::REDUCE_SUM

use smallvec::smallvec;

use crate::opencl::{Given, Kernel, Reached, kernel};

/// One partial sum for each group, neighbors first: arguments `a, partials,
/// n`, as for those that leave partial sums.
pub const REDUCE_INTERLEAVED: Kernel =
    kernel!("part2/reduce_interleaved.cl", "reduce_interleaved", partials);

/// The same additions, made by the first items of the group.
pub const REDUCE_PACKED: Kernel =
    kernel!("part2/reduce_packed.cl", "reduce_packed", partials);

/// An item adds up many numbers before the tree begins.
pub const REDUCE_COARSE: Kernel =
    kernel!("part2/reduce_coarse.cl", "reduce_coarse", partials);

/// Each group adds its sum to a total, which begins as 0: arguments `a, total,
/// n`.
pub const REDUCE_ATOMIC: Kernel =
    kernel!("part2/reduce_atomic.cl", "reduce_atomic", |given| {
        Some(smallvec![strided(given, 2)?, 1])
    });

/// The last group adds up the partial sums of all: arguments `a, partials,
/// total, finished, n`, and `finished` begins as 0.
pub const REDUCE_LAST: Kernel =
    kernel!("part2/reduce_last.cl", "reduce_last", |given| {
        Some(smallvec![strided(given, 4)?, given.groups(0), 1, 1])
    });

fn partials(given: &Given) -> Option<Reached> {
    Some(smallvec![strided(given, 2)?, given.groups(0)])
}

/// Returns how many numbers are added. An item goes on by as many as there are
/// items, in `uint`, until it is behind the last.
fn strided(given: &Given, at: usize) -> Option<u64> {
    let (n, items) = (given.uint(at)?, given.groups(0) * given.items(0));
    (n + items <= u32::MAX.into()).then_some(n)
}

pub(super) const ALL: &[Kernel] = &[
    REDUCE_INTERLEAVED,
    REDUCE_PACKED,
    REDUCE_COARSE,
    REDUCE_ATOMIC,
    REDUCE_LAST,
];
