//! The kernels of "Reductions and barriers" that sum an array, in addition to
//! [`REDUCE_SUM`].
//!
//! [`REDUCE_SUM`]: super::REDUCE_SUM

use smallvec::smallvec;

use crate::opencl::{Given, Kernel, Reached, kernel};

/// One partial sum per group, adjacent elements first. Arguments of the
/// kernels that write partial sums: `a, partials, n`.
pub const REDUCE_INTERLEAVED: Kernel =
    kernel!("part2/reduce_interleaved.cl", "reduce_interleaved", partials);

/// The same additions, done by the first items of the group.
pub const REDUCE_PACKED: Kernel =
    kernel!("part2/reduce_packed.cl", "reduce_packed", partials);

/// An item adds up many elements before the tree begins.
pub const REDUCE_COARSE: Kernel =
    kernel!("part2/reduce_coarse.cl", "reduce_coarse", partials);

/// Each group adds its sum to a total, which must start at 0. Arguments: `a,
/// total, n`.
pub const REDUCE_ATOMIC: Kernel =
    kernel!("part2/reduce_atomic.cl", "reduce_atomic", |given| {
        Some(smallvec![strided(given, 2)?, 1])
    });

/// The last group adds up the partial sums of all. Arguments: `a, partials,
/// total, finished, n`; `finished` must start at 0.
pub const REDUCE_LAST: Kernel =
    kernel!("part2/reduce_last.cl", "reduce_last", |given| {
        Some(smallvec![strided(given, 4)?, given.groups(0), 1, 1])
    });

fn partials(given: &Given) -> Option<Reached> {
    Some(smallvec![strided(given, 2)?, given.groups(0)])
}

/// Returns the number of elements that are summed. An item's `uint` index
/// advances by the number of items until it is past the last element, so their
/// sum must fit.
fn strided(given: &Given, argument: usize) -> Option<u64> {
    let (n, items) = (given.uint(argument)?, given.groups(0) * given.items(0));
    (n + items <= u32::MAX.into()).then_some(n)
}

pub(super) const ALL: &[Kernel] = &[
    REDUCE_INTERLEAVED,
    REDUCE_PACKED,
    REDUCE_COARSE,
    REDUCE_ATOMIC,
    REDUCE_LAST,
];
