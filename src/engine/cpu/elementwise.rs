//! Elementwise operations, and operations that only copy elements.
//!
//! The simple algorithm is `out[i] = f(a[i], b[i])`, with the offset of each
//! element computed from its index. Three optimizations are applied to it:
//!
//! 1. **Runs.** The innermost loop is over a run with constant steps; see
//!    `strided`. Steps of 0 and 1 have separate loops.
//! 2. **A loop for each operation,** which the compiler vectorizes.
//! 3. **Tiles.** A transposed view is copied in tiles that use whole cache
//!    lines.

use std::any::Any;
use std::hint::select_unpredictable;

use pulp::Arch;

use super::elementary::{Fma, each};
use super::parallel::{ANY_SPLIT, EXP_COST, READ_COST, fill};
use super::strided::{StridedRuns, run};
use super::types::{CpuFloat, HostElement};
use super::{Array, Binary, Host, Shared, Storage, Unary, View};
use super::{dense, storage_elements};
use crate::error::Result;
use crate::part3_unified::truth;

/// A loop over elements that takes the loop body as a closure. It is
/// implemented for an array and for a block of the lazy device.
pub(super) trait Each<T> {
    type Output;

    fn each(self, f: impl Fn(Fma, T) -> T + Sync) -> Self::Output;
}

/// A loop over pairs of elements that takes the loop body as a closure.
pub(super) trait Pairs<T> {
    type Output;

    fn pairs(self, f: impl Fn(T, T) -> T + Sync) -> Self::Output;
}

/// Applies `op` to each element. Each formula is inlined into a loop, so that
/// it is compiled for the registers that the loop is compiled for.
#[inline(always)]
pub(super) fn unary<T: CpuFloat, L: Each<T>>(
    op: Unary,
    loop_over: L,
) -> L::Output {
    macro_rules! each {
        ($($formula:tt)*) => { loop_over.each(#[inline(always)] $($formula)*) };
    }
    match op {
        Unary::Scale(c) => {
            let c = T::nearest(c);
            each!(move |_, x| x * c)
        }
        Unary::Shift(c) => {
            let c = T::nearest(c);
            each!(move |_, x| x + c)
        }
        Unary::DivScalar(c) => {
            let c = T::nearest(c);
            each!(move |_, x| x / c)
        }
        Unary::RdivScalar(c) => {
            let c = T::nearest(c);
            each!(move |_, x| c / x)
        }
        Unary::Sqrt => each!(|_, x| x.sqrt()),
        Unary::Square => each!(|_, x| x * x),
        Unary::Cube => each!(|_, x| x * x * x),
        Unary::Relu => each!(|_, x| if x <= T::zero() { T::zero() } else { x }),
        Unary::Exp => each!(|fma, x| T::fast_exp(fma, x)),
        Unary::Log => each!(|fma, x| T::fast_ln(fma, x)),
        Unary::Tanh => each!(|fma, x| T::fast_tanh(fma, x)),
        Unary::Sigmoid => each!(|fma, x| T::fast_sigmoid(fma, x)),
        Unary::Gelu => each!(|fma, x| T::gelu(fma, x)),
        Unary::GeluSlope => each!(|fma, x| T::gelu_slope(fma, x)),
        // One loop for all other operations.
        // TODO(perf): measure a loop for each.
        other => loop_over.each(move |_, x| other.apply(x)),
    }
}

/// A dense array, and the cost of the operation per element.
impl<T: HostElement> Each<T> for (&Array, usize) {
    type Output = Result<Shared>;

    fn each(self, f: impl Fn(Fma, T) -> T + Sync) -> Result<Shared> {
        let (x, cost) = (dense(self.0), self.1);
        fill(x.len(), ANY_SPLIT, cost, &|from, out| each(&x[from..], out, &f))
    }
}

/// Returns the cost of an operation per element, in reads.
pub(super) fn cost(op: Unary) -> usize {
    match op {
        Unary::Exp | Unary::Log | Unary::Tanh | Unary::Sigmoid => EXP_COST,
        Unary::Gelu | Unary::GeluSlope => 2 * EXP_COST,
        _ => READ_COST,
    }
}

/// Applies `op` to each pair of elements. Each operation has a separate loop,
/// which the compiler vectorizes. A single loop that calls [`Binary::apply`]
/// is several times slower; see docs/benchmarks.md.
#[inline(always)]
pub(super) fn binary<T: CpuFloat, L: Pairs<T>>(
    op: Binary,
    loop_over: L,
) -> L::Output {
    match op {
        Binary::Add => loop_over.pairs(|x, y| x + y),
        Binary::Mul => loop_over.pairs(|x, y| x * y),
        Binary::Div => loop_over.pairs(|x, y| x / y),
        Binary::Lt => loop_over.pairs(|x, y| truth(x < y)),
        Binary::Le => loop_over.pairs(|x, y| truth(x <= y)),
        Binary::Eq => loop_over.pairs(|x, y| truth(x == y)),
        Binary::Pow => loop_over.pairs(T::powf),
    }
}

impl<T: HostElement> Pairs<T> for [&Array; 2] {
    type Output = Result<Shared>;

    fn pairs(self, f: impl Fn(T, T) -> T + Sync) -> Result<Shared> {
        let [a, b] = self;
        zip(a, b, f)
    }
}

/// Applies `f` to each pair of elements of two arrays with any strides. A
/// broadcast operand has stride 0 and is not copied.
fn zip<T: HostElement>(
    a: &Array,
    b: &Array,
    f: impl Fn(T, T) -> T + Sync,
) -> Result<Shared> {
    let wide = Arch::new();
    if a.is_dense() && b.is_dense() {
        let (x, y) = (dense::<T>(a), dense::<T>(b));
        return fill(x.len(), ANY_SPLIT, READ_COST, &|from, out| {
            let pairs = x[from..].iter().zip(&y[from..]);
            let out = out.iter_mut().zip(pairs);
            wide.dispatch(|| out.for_each(|(o, (x, y))| *o = f(*x, *y)));
        });
    }
    let (all, others) = (storage_elements::<T>(a), storage_elements::<T>(b));
    let runs = StridedRuns::new([a.view(), b.view()]);
    let length = runs.length;
    fill(a.len(), length, READ_COST, &|from, out| {
        wide.dispatch(|| {
            let starts = runs.run_starts(from / length);
            for (out, [i, j]) in out.chunks_mut(length).zip(starts) {
                match runs.steps {
                    [1, 1] => {
                        let pairs = all[i..].iter().zip(&others[j..]);
                        let out = out.iter_mut().zip(pairs);
                        out.for_each(|(o, (x, y))| *o = f(*x, *y));
                    }
                    [1, 0] => {
                        let (x, y) = (&all[i..], others[j]);
                        out.iter_mut().zip(x).for_each(|(o, x)| *o = f(*x, y));
                    }
                    [0, 1] => {
                        let (x, y) = (all[i], &others[j..]);
                        out.iter_mut().zip(y).for_each(|(o, y)| *o = f(x, *y));
                    }
                    [p, q] => {
                        let x = run(all, i, length, p);
                        let pairs = x.zip(run(others, j, length, q));
                        let out = out.iter_mut().zip(pairs);
                        out.for_each(|(o, (x, y))| *o = f(x, y));
                    }
                }
            }
        })
    })
}

pub(super) fn where_cond<T: HostElement>(
    mask: &Array,
    a: &Array,
    b: &Array,
) -> Result<Shared> {
    let [m, x, y] = [mask, a, b].map(storage_elements::<T>);
    let zero = T::default();
    let runs = StridedRuns::new([mask.view(), a.view(), b.view()]);
    let length = runs.length;
    // A branch would be mispredicted often, because masks have no pattern.
    let choice = |m: T, x: T, y: T| select_unpredictable(m != zero, x, y);
    fill(mask.len(), length, READ_COST, &|from, out| {
        let starts = runs.run_starts(from / length);
        for (out, [i, j, k]) in out.chunks_mut(length).zip(starts) {
            match runs.steps {
                [1, 0, 1] => {
                    let (x, pairs) = (x[j], m[i..].iter().zip(&y[k..]));
                    let out = out.iter_mut().zip(pairs);
                    out.for_each(|(o, (m, y))| *o = choice(*m, x, *y));
                }
                [1, 1, 1] => {
                    let pairs = m[i..].iter().zip(x[j..].iter().zip(&y[k..]));
                    let out = out.iter_mut().zip(pairs);
                    out.for_each(|(o, (m, (x, y)))| *o = choice(*m, *x, *y));
                }
                [p, q, r] => {
                    let x = run(x, j, length, q).zip(run(y, k, length, r));
                    let out = out.iter_mut().zip(run(m, i, length, p).zip(x));
                    out.for_each(|(o, (m, (x, y)))| *o = choice(m, x, y));
                }
            }
        }
    })
}

/// Copies the elements of any view, in row-major order.
pub(super) fn copy<T: HostElement>(a: &Array) -> Result<Shared> {
    let all = storage_elements::<T>(a);
    let runs = StridedRuns::new([a.view()]);
    let (length, [step]) = (runs.length, runs.steps);
    let unit = if runs.is_transposed() { length * TILE_ROWS } else { length };
    fill(a.len(), unit, READ_COST, &|from, out| {
        let starts = runs.run_starts(from / length);
        let rows = out.chunks_mut(length).zip(starts);
        match step {
            1 => rows.for_each(|(out, [at])| {
                out.copy_from_slice(&all[at..][..length])
            }),
            0 => rows.for_each(|(out, [at])| out.fill(all[at])),
            _ if runs.is_transposed() => tiles(all, rows, length, step),
            _ => rows.for_each(|(out, [at])| {
                let values = run(all, at, length, step);
                out.iter_mut().zip(values).for_each(|(out, x)| *out = x);
            }),
        }
    })
}

/// Rows of a tile: the number of `f32` in a cache line.
const TILE_ROWS: usize = 16;
/// Columns of a tile. Cache lines at a distance of a power of two map to the
/// same cache set, which may have as few as eight ways.
const TILE_COLUMNS: usize = 8;

/// Copies rows that begin at adjacent elements, such as those of a transposed
/// matrix, tile by tile, so that a cache line is used completely while it is
/// in the cache.
fn tiles<'a, T: HostElement>(
    all: &[T],
    rows: impl Iterator<Item = (&'a mut [T], [usize; 1])>,
    length: usize,
    step: isize,
) {
    let mut rows = rows.peekable();
    let mut band: Vec<(&mut [T], usize)> = Vec::with_capacity(TILE_ROWS);
    while rows.peek().is_some() {
        band.clear();
        let next = rows.by_ref().take(TILE_ROWS);
        band.extend(next.map(|(out, [start])| (out, start)));
        for from in (0..length).step_by(TILE_COLUMNS) {
            let to = length.min(from + TILE_COLUMNS);
            for (out, start) in &mut band {
                let first = *start as isize + from as isize * step;
                let values = run(all, first as usize, to - from, step);
                let out = out[from..to].iter_mut().zip(values);
                out.for_each(|(out, x)| *out = x);
            }
        }
    }
}

/// Writes the elements of an array to the offsets of a view of a storage.
pub(super) fn paste<T: HostElement>(
    storage: &mut dyn Storage,
    view: &View,
    a: &Array,
) -> Result<()> {
    let storage: &mut dyn Any = storage;
    let host: &mut Host<T> =
        storage.downcast_mut().expect("the storage is in host memory");
    let (all, runs) =
        (storage_elements::<T>(a), StridedRuns::new([view, a.view()]));
    let starts = runs.run_starts(0).take(a.len() / runs.length);
    for [to, from] in starts {
        match runs.steps {
            [1, 1] => host.0[to..][..runs.length]
                .copy_from_slice(&all[from..][..runs.length]),
            [p, q] => {
                let values = run(all, from, runs.length, q);
                for (i, x) in (0..).zip(values) {
                    host.0[(to as isize + i * p) as usize] = x;
                }
            }
        }
    }
    Ok(())
}
