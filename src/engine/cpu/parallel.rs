//! Parallel loops over a result ([`fill`]), and which loops are worth it.

use super::Shared;
use super::host::{Host, blank};
use super::types::HostElement;
use crate::engine::threads::{parallel_for, threads_for};
use crate::error::Result;

/// The unit of [`fill`] for loops that may be split at any element.
pub(super) const ANY_SPLIT: usize = 1;
/// Cost of an operation that reads one or a few operands per element.
pub(super) const READ_COST: usize = 1;
/// Cost of an exponential per element, in reads.
pub(super) const EXP_COST: usize = 4;
/// How many chunks a thread gets, so that threads that finish first can help.
const CHUNKS_PER_THREAD: usize = 4;

/// Returns how many of `count` items a chunk has if threads share them.
pub(super) fn items_per_chunk(count: usize, threads: usize) -> usize {
    let chunks = if threads == 1 { 1 } else { CHUNKS_PER_THREAD * threads };
    count.div_ceil(chunks).max(1)
}

/// Allocates a storage of `n` elements and calls `work` to write it, in chunks
/// that may run in parallel. `work` receives the index of the chunk's first
/// element and the chunk. Chunks are multiples of `unit` elements. `cost` is
/// the cost per element in reads; it decides whether the loop runs in
/// parallel.
pub(super) fn fill<T: HostElement>(
    n: usize,
    unit: usize,
    cost: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) -> Result<Shared> {
    if n == 0 {
        return Ok(Host::<T>::shared(vec![]));
    }
    let mut values = blank(n)?;
    let threads = threads_for(n * cost);
    let chunk = chunk_len(n, unit, threads);
    let chunks = values.chunks_mut(chunk).enumerate();
    parallel_for(threads, chunks, |(i, out)| work(i * chunk, out));
    Ok(Host::shared(values))
}

/// Returns the length of a chunk, a multiple of `unit`.
fn chunk_len(n: usize, unit: usize, threads: usize) -> usize {
    items_per_chunk(n, threads).next_multiple_of(unit.max(1)).min(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_whole_units() {
        assert_eq!(chunk_len(1000, 1, 1), 1000, "one thread");
        assert_eq!(chunk_len(1000, 1, 2), 125);
        assert_eq!(chunk_len(1000, 100, 2), 200);
        assert_eq!(chunk_len(1000, 600, 2), 600);
        assert_eq!(chunk_len(1000, 2000, 2), 1000, "a single unit");
        assert_eq!(chunk_len(1000, 0, 2), 125, "an empty unit");
        assert_eq!(chunk_len(3, 1, 2), 1);
    }
}
