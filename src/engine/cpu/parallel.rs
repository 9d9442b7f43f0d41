//! Parallel loops over a result ([`fill`]), and which loops are worth it.

use super::Shared;
use super::host::{Host, blank};
use super::types::HostElement;
use crate::engine::threads::parallel_for;
use crate::error::Result;

/// Cost, in element reads, above which a loop runs in parallel.
const MIN_PARALLEL_COST: usize = 1 << 16;
/// Minimum cost of a chunk of a parallel loop.
pub(super) const CHUNK_COST: usize = 1 << 15;

/// The unit of [`fill`] for loops that may be split at any element.
pub(super) const ANY_SPLIT: usize = 1;
/// Cost of an operation that reads one or a few operands per element.
pub(super) const READ_COST: usize = 1;
/// Cost of an exponential per element, in reads.
pub(super) const EXP_COST: usize = 4;

/// Returns whether a loop with this cost runs in parallel. A pool of one
/// thread never does: waking that thread gains nothing over the calling
/// thread.
pub(super) fn is_parallel(cost: usize) -> bool {
    threads(cost, rayon::current_num_threads) > 1
}

/// Returns the number of threads for a loop with this cost.
fn threads(cost: usize, all: impl Fn() -> usize) -> usize {
    if cost >= MIN_PARALLEL_COST { all() } else { 1 }
}

/// Returns how many rows a chunk has if each thread gets two chunks.
pub(super) fn rows_per_chunk(rows: usize, width: usize) -> usize {
    let threads = threads(rows * width, rayon::current_num_threads);
    match threads {
        1 => rows,
        _ => rows.div_ceil(2 * threads),
    }
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
    let Some(chunk) = chunk_len(n, unit, cost) else {
        work(0, &mut values);
        return Ok(Host::shared(values));
    };
    let chunks = values.chunks_mut(chunk).enumerate();
    parallel_for(chunks, |(i, out)| work(i * chunk, out));
    Ok(Host::shared(values))
}

/// Returns the length of a chunk, a multiple of `unit`, or `None` if the loop
/// runs on one thread. In a long loop each thread gets about eight chunks.
fn chunk_len(n: usize, unit: usize, cost: usize) -> Option<usize> {
    let threads = threads(n * cost, rayon::current_num_threads);
    if threads == 1 || unit >= n {
        return None;
    }
    let (unit, cost) = (unit.max(1), cost.max(1));
    let len = (CHUNK_COST / cost).max(n / (8 * threads));
    Some(unit * (len / unit).max(1))
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn large_loops_run_in_parallel() {
        let few = threads(MIN_PARALLEL_COST - 1, || 4);
        assert_eq!((few, threads(MIN_PARALLEL_COST, || 4)), (1, 4));
        for (threads, parallel, rows) in
            [(1, false, 2048), (2, true, 512), (3, true, 342)]
        {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                assert_eq!(is_parallel(MIN_PARALLEL_COST), parallel);
                assert_eq!(rows_per_chunk(2048, 32), rows);
                assert_eq!(rows_per_chunk(2048, 31), 2048);
            });
        }
    }

    #[test]
    fn a_chunk_has_whole_units_and_the_cost_of_a_chunk() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let n = MIN_PARALLEL_COST;
        let large = |unit, cost| chunk_len(n, unit, cost);
        pool.install(|| {
            assert_eq!(large(1, 1), Some(CHUNK_COST));
            assert_eq!(large(100, 1), Some(32700));
            assert_eq!(large(100, 7), Some(4600));
            assert_eq!(chunk_len(48 * CHUNK_COST, 100, 7), Some(65500));
            assert_eq!(large(CHUNK_COST, 2), Some(CHUNK_COST), "one unit");
            assert_eq!(large(0, 5), Some(CHUNK_COST / 5), "an empty unit");
            assert_eq!(large(n, 1), None, "a single unit");
            assert_eq!(chunk_len(n / 4, 1, 4), Some(CHUNK_COST / 4));
            assert_eq!(chunk_len(n / 4, 1, 3), None, "too cheap");
        });
    }
}
