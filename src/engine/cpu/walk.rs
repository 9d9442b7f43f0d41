//! Parallel loops over a result ([`fill`]) and iteration over strided views
//! ([`Walk`]).

use smallvec::SmallVec;

use super::host::{Host, blank};
use super::real::HostElement;
use super::{Shared, View};
use crate::engine::threads::share;
use crate::error::Result;
use crate::part3_unified::runs;

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
    match cost >= MIN_PARALLEL_COST {
        true => all(),
        false => 1,
    }
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
    share(chunks, |(i, out)| work(i * chunk, out));
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

/// Iterates over views of one shape in lockstep, in row-major order. The last
/// axes are merged into runs as long as possible that have a constant step in
/// each view, so that the inner loop is over a run.
pub(super) struct Walk<const N: usize> {
    /// Shape and strides of the outer axes, over which runs are enumerated.
    shape: SmallVec<[usize; 4]>,
    strides: SmallVec<[[isize; N]; 4]>,
    starts: [usize; N],
    /// The length of a run, and its step in each storage.
    pub(super) length: usize,
    pub(super) steps: [isize; N],
}

impl<const N: usize> Walk<N> {
    pub(super) fn new(views: [&View; N]) -> Walk<N> {
        let mut runs = runs(views);
        let (length, steps) = runs.pop().unwrap_or((1, [1; N]));
        let (shape, strides) = runs.into_iter().unzip();
        let starts = views.map(View::offset);
        Walk { shape, strides, starts, length, steps }
    }

    /// Returns the offsets at which runs begin in each storage, starting with
    /// run number `first_run`. The iterator does not end.
    pub(super) fn run_starts(
        &self,
        first_run: usize,
    ) -> impl Iterator<Item = [usize; N]> {
        let mut offsets = self.starts.map(|start| start as isize);
        let mut index: SmallVec<[usize; 4]> = self.shape.clone();
        let mut rest = first_run;
        for axis in (0..self.shape.len()).rev() {
            index[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
            for (offset, stride) in offsets.iter_mut().zip(&self.strides[axis])
            {
                *offset += index[axis] as isize * stride;
            }
        }
        std::iter::repeat_with(move || {
            let current = offsets.map(|offset| offset as usize);
            for axis in (0..index.len()).rev() {
                let (size, strides) = (self.shape[axis], &self.strides[axis]);
                index[axis] += 1;
                let is_end = index[axis] == size;
                let steps = if is_end { 1 - size as isize } else { 1 };
                for (offset, stride) in offsets.iter_mut().zip(strides) {
                    *offset += steps * stride;
                }
                if !is_end {
                    break;
                }
                index[axis] = 0;
            }
            current
        })
    }
}

impl Walk<1> {
    /// Returns whether the whole view is a single run.
    pub(super) fn is_single_run(&self) -> bool {
        self.shape.is_empty()
    }

    /// Returns whether consecutive runs begin at adjacent elements, as the
    /// rows of a transposed matrix do.
    pub(super) fn is_transposed(&self) -> bool {
        self.strides.last() == Some(&[1])
    }

    /// Returns the offsets of the elements, starting with element `first`. The
    /// iterator does not end.
    pub(super) fn offsets(&self, first: usize) -> impl Iterator<Item = usize> {
        let step = self.steps[0];
        let all =
            self.run_starts(first / self.length).flat_map(move |[start]| {
                let offset = move |i| (start as isize + i * step) as usize;
                (0..self.length as isize).map(offset)
            });
        all.skip(first % self.length)
    }
}

/// Returns the elements of a run that begins at offset `start`.
#[inline(always)]
pub(super) fn run<T: HostElement>(
    all: &[T],
    start: usize,
    length: usize,
    step: isize,
) -> impl Iterator<Item = T> {
    (0..length as isize).map(move |i| all[(start as isize + i * step) as usize])
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

    #[test]
    fn a_walk_detects_transposed_views() {
        let dense = View::dense(&[3, 4]);
        let transposed = dense.permute(&[1, 0]).unwrap();
        assert!(!Walk::new([&dense]).is_transposed());
        assert!(Walk::new([&transposed]).is_transposed());
        let far = View::dense(&[3, 4, 2]).permute(&[1, 0, 2]).unwrap();
        assert!(!Walk::new([&far]).is_transposed());
        assert!(Walk::new([&dense]).is_single_run());
        assert!(!Walk::new([&far]).is_single_run());
    }
}
