//! How many elements are visited: in pieces that threads share, and along
//! views in runs.

use smallvec::SmallVec;

use super::super::super::view::runs;
use super::host::{Host, blank};
use super::real::Kept;
use super::{Shared, View};
use crate::base::share::share;
use crate::error::Result;

/// From so many elements on the threads share them, in pieces of so many.
const PARALLEL: usize = 1 << 16;
pub(super) const PIECE: usize = 1 << 15;

/// A piece may begin with any number.
pub(super) const ANYWHERE: usize = 1;
/// For a number one is looked at, or a few that are as quick.
pub(super) const ONCE: usize = 1;
/// An exponential costs as much as so many looks.
pub(super) const EXPONENTIAL: usize = 4;

/// Says whether threads share so many elements. A single one would have to be
/// woken for what the caller can do itself.
pub(super) fn is_shared(elements: usize) -> bool {
    threads(elements, rayon::current_num_threads) > 1
}

/// Counts the threads that share so many elements.
fn threads(elements: usize, all: impl Fn() -> usize) -> usize {
    match elements >= PARALLEL {
        true => all(),
        false => 1,
    }
}

/// Counts the rows of a part where each thread gets two.
pub(super) fn rows_of_part(rows: usize, width: usize) -> usize {
    let threads = threads(rows * width, rayon::current_num_threads);
    match threads {
        1 => rows,
        _ => rows.div_ceil(2 * threads),
    }
}

/// Makes new numbers, which `work` writes piece by piece: it is told from
/// which number on. A piece is a multiple of `unit` numbers. What a number
/// costs, in elements that are looked at, decides whether threads share them.
pub(super) fn fill<T: Kept>(
    n: usize,
    unit: usize,
    cost: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) -> Result<Shared> {
    if n == 0 {
        return Ok(Host::<T>::shared(vec![]));
    }
    let mut values = blank(n)?;
    let Some(piece) = piece(n, unit, cost) else {
        work(0, &mut values);
        return Ok(Host::shared(values));
    };
    let pieces = values.chunks_mut(piece).enumerate();
    share(pieces, |(i, out)| work(i * piece, out));
    Ok(Host::shared(values))
}

/// Counts the numbers of a piece, in whole units; none where one thread does
/// it all. Of many numbers a thread gets a few large pieces.
fn piece(n: usize, unit: usize, cost: usize) -> Option<usize> {
    let threads = threads(n * cost, rayon::current_num_threads);
    if threads == 1 || unit >= n {
        return None;
    }
    let (unit, cost) = (unit.max(1), cost.max(1));
    let numbers = (PIECE / cost).max(n / (8 * threads));
    Some(unit * (numbers / unit).max(1))
}

/// Views of one shape, walked side by side: the longest runs that are evenly
/// spaced in each, one after another in row-major order.
pub(super) struct Walk<const N: usize> {
    shape: SmallVec<[usize; 4]>,
    strides: SmallVec<[[isize; N]; 4]>,
    starts: [usize; N],
    /// The length of a run, and its step in each memory.
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

    /// Finds where run number `from` and those behind it begin in each memory.
    pub(super) fn from(&self, from: usize) -> impl Iterator<Item = [usize; N]> {
        let mut at = self.starts.map(|start| start as isize);
        let mut index: SmallVec<[usize; 4]> = self.shape.clone();
        let mut rest = from;
        for axis in (0..self.shape.len()).rev() {
            index[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
            for (at, stride) in at.iter_mut().zip(&self.strides[axis]) {
                *at += index[axis] as isize * stride;
            }
        }
        std::iter::repeat_with(move || {
            let here = at.map(|at| at as usize);
            for axis in (0..index.len()).rev() {
                let (size, strides) = (self.shape[axis], &self.strides[axis]);
                index[axis] += 1;
                let is_end = index[axis] == size;
                let way = if is_end { 1 - size as isize } else { 1 };
                for (at, stride) in at.iter_mut().zip(strides) {
                    *at += way * stride;
                }
                if !is_end {
                    break;
                }
                index[axis] = 0;
            }
            here
        })
    }
}

impl Walk<1> {
    /// Tells whether there is one run alone.
    pub(super) fn is_one(&self) -> bool {
        self.shape.is_empty()
    }

    /// Tells whether the first numbers of one run after another are neighbors.
    pub(super) fn is_transposed(&self) -> bool {
        self.strides.last() == Some(&[1])
    }

    /// Finds where each element lies, from one on.
    pub(super) fn places(&self, from: usize) -> impl Iterator<Item = usize> {
        let step = self.steps[0];
        let all = self.from(from / self.length).flat_map(move |[at]| {
            let place = move |i| (at as isize + i * step) as usize;
            (0..self.length as isize).map(place)
        });
        all.skip(from % self.length)
    }
}

/// Returns the numbers of a run.
#[inline(always)]
pub(super) fn run<T: Kept>(
    all: &[T],
    at: usize,
    length: usize,
    step: isize,
) -> impl Iterator<Item = T> {
    (0..length as isize).map(move |i| all[(at as isize + i * step) as usize])
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn threads_share_what_is_large_enough() {
        let few = threads(PARALLEL - 1, || 4);
        assert_eq!((few, threads(PARALLEL, || 4)), (1, 4));
        for (threads, shared, rows) in
            [(1, false, 2048), (2, true, 512), (3, true, 342)]
        {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                assert_eq!(is_shared(PARALLEL), shared);
                assert_eq!(rows_of_part(2048, 32), rows);
                assert_eq!(rows_of_part(2048, 31), 2048);
            });
        }
    }

    #[test]
    fn a_piece_has_whole_units_and_costs_what_a_piece_may() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let large = |unit, cost| piece(PARALLEL, unit, cost);
        pool.install(|| {
            assert_eq!(large(1, 1), Some(PIECE));
            assert_eq!(large(100, 1), Some(32700));
            assert_eq!(large(100, 7), Some(4600));
            assert_eq!(piece(48 * PIECE, 100, 7), Some(65500));
            assert_eq!(large(PIECE, 2), Some(PIECE), "one unit at least");
            assert_eq!(large(0, 5), Some(PIECE / 5), "of nothing");
            assert_eq!(large(PARALLEL, 1), None, "one unit is all");
            assert_eq!(piece(PARALLEL / 4, 1, 4), Some(PIECE / 4));
            assert_eq!(piece(PARALLEL / 4, 1, 3), None, "it costs little");
        });
    }

    #[test]
    fn a_walk_knows_whether_neighbors_begin_side_by_side() {
        let dense = View::dense(&[3, 4]);
        let turned = dense.permute(&[1, 0]).unwrap();
        assert!(!Walk::new([&dense]).is_transposed());
        assert!(Walk::new([&turned]).is_transposed());
        let far = View::dense(&[3, 4, 2]).permute(&[1, 0, 2]).unwrap();
        assert!(!Walk::new([&far]).is_transposed());
        assert!(Walk::new([&dense]).is_one() && !Walk::new([&far]).is_one());
    }
}
