//! One element from the elements at the same place, and elements moved.

use std::any::Any;
use std::hint::select_unpredictable;

use pulp::Arch;

use super::super::truth;
use super::elementary::{Fma, each};
use super::real::{Kept, Number};
use super::walk::{ANYWHERE, EXPONENTIAL, ONCE, Walk, fill, run};
use super::{Array, Binary, Host, Shared, Storage, Unary, View};
use super::{dense, numbers};
use crate::error::Result;

/// A loop over numbers that waits for what is computed of each: over an array,
/// or over a block that the lazy device has.
pub(super) trait Each<T> {
    type Made;

    fn each(self, f: impl Fn(Fma, T) -> T + Sync) -> Self::Made;
}

/// One over pairs.
pub(super) trait Pairs<T> {
    type Made;

    fn pairs(self, f: impl Fn(T, T) -> T + Sync) -> Self::Made;
}

/// Computes `op` of each number. Each formula is compiled into its loop, and so
/// for the processor that the loop is for: alone it would be for any.
#[inline(always)]
pub(super) fn unary<T: Number, L: Each<T>>(op: Unary, numbers: L) -> L::Made {
    macro_rules! each {
        ($($formula:tt)*) => { numbers.each(#[inline(always)] $($formula)*) };
    }
    let number = |number: f64| T::nearest(number);
    match op {
        Unary::Scale(by) => {
            let by = number(by);
            each!(move |_, x| x * by)
        }
        Unary::Shift(by) => {
            let by = number(by);
            each!(move |_, x| x + by)
        }
        Unary::DivScalar(by) => {
            let by = number(by);
            each!(move |_, x| x / by)
        }
        Unary::RdivScalar(of) => {
            let of = number(of);
            each!(move |_, x| of / x)
        }
        Unary::Sqrt => each!(|_, x| x.sqrt()),
        Unary::Square => each!(|_, x| x * x),
        Unary::Cube => each!(|_, x| x * x * x),
        Unary::Relu => each!(|_, x| if x <= T::zero() { T::zero() } else { x }),
        Unary::Exp => each!(|fma, x| T::exponential(fma, x)),
        Unary::Log => each!(|fma, x| T::logarithm(fma, x)),
        Unary::Tanh => each!(|fma, x| T::tangent(fma, x)),
        Unary::Sigmoid => each!(|fma, x| T::logistic(fma, x)),
        Unary::Gelu => each!(|fma, x| T::gelu(fma, x)),
        Unary::GeluSlope => each!(|fma, x| T::gelu_slope(fma, x)),
        // One loop for all of these; nobody has timed one for each.
        slow => numbers.each(move |_, x| slow.apply(x)),
    }
}

/// Goes over the elements of a dense array, each of which costs so much.
impl<T: Kept> Each<T> for (&Array, usize) {
    type Made = Result<Shared>;

    fn each(self, f: impl Fn(Fma, T) -> T + Sync) -> Result<Shared> {
        let (x, cost) = (dense(self.0), self.1);
        fill(x.len(), ANYWHERE, cost, &|from, out| each(&x[from..], out, &f))
    }
}

/// Says what an operation costs, in elements that are looked at.
pub(super) fn cost(op: Unary) -> usize {
    match op {
        Unary::Exp | Unary::Log | Unary::Tanh | Unary::Sigmoid => EXPONENTIAL,
        Unary::Gelu | Unary::GeluSlope => 2 * EXPONENTIAL,
        _ => ONCE,
    }
}

// ANCHOR: binary
/// Computes `op` of each pair. Each operation has a loop of its own, so that it
/// is compiled for what it does: with [`Binary::apply`] in one loop for all,
/// 4,096 sums take 5.7 times as long (an Intel Xeon, Rust 1.95.0, November
/// 2026).
#[inline(always)]
pub(super) fn binary<T: Number, L: Pairs<T>>(op: Binary, all: L) -> L::Made {
    match op {
        Binary::Add => all.pairs(|x, y| x + y),
        Binary::Mul => all.pairs(|x, y| x * y),
        Binary::Div => all.pairs(|x, y| x / y),
        Binary::Lt => all.pairs(|x, y| truth(x < y)),
        Binary::Le => all.pairs(|x, y| truth(x <= y)),
        Binary::Eq => all.pairs(|x, y| truth(x == y)),
        Binary::Pow => all.pairs(T::powf),
    }
}
// ANCHOR_END: binary

impl<T: Kept> Pairs<T> for [&Array; 2] {
    type Made = Result<Shared>;

    fn pairs(self, f: impl Fn(T, T) -> T + Sync) -> Result<Shared> {
        let [a, b] = self;
        zip(a, b, f)
    }
}

/// Computes `f` of each pair. What is broadcast is read where it lies, as
/// often as it is needed.
fn zip<T: Kept>(
    a: &Array,
    b: &Array,
    f: impl Fn(T, T) -> T + Sync,
) -> Result<Shared> {
    let wide = Arch::new();
    if a.is_dense() && b.is_dense() {
        let (x, y) = (dense::<T>(a), dense::<T>(b));
        return fill(x.len(), ANYWHERE, ONCE, &|from, out| {
            let pairs = x[from..].iter().zip(&y[from..]);
            let out = out.iter_mut().zip(pairs);
            wide.dispatch(|| out.for_each(|(o, (x, y))| *o = f(*x, *y)));
        });
    }
    let (all, others) = (numbers::<T>(a), numbers::<T>(b));
    let walk = Walk::new([a.view(), b.view()]);
    let length = walk.length;
    fill(a.len(), length, ONCE, &|from, out| {
        wide.dispatch(|| {
            let starts = walk.from(from / length);
            for (out, [i, j]) in out.chunks_mut(length).zip(starts) {
                match walk.steps {
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

pub(super) fn where_cond<T: Kept>(
    mask: &Array,
    a: &Array,
    b: &Array,
) -> Result<Shared> {
    let [m, x, y] = [mask, a, b].map(numbers::<T>);
    let zero = T::default();
    let walk = Walk::new([mask.view(), a.view(), b.view()]);
    let length = walk.length;
    // A processor guesses where a branch goes, and a mask has no pattern.
    let choice = |m: T, x: T, y: T| select_unpredictable(m != zero, x, y);
    fill(mask.len(), length, ONCE, &|from, out| {
        let starts = walk.from(from / length);
        for (out, [i, j, k]) in out.chunks_mut(length).zip(starts) {
            match walk.steps {
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
pub(super) fn copy<T: Kept>(a: &Array) -> Result<Shared> {
    let all = numbers::<T>(a);
    let walk = Walk::new([a.view()]);
    let (length, [step]) = (walk.length, walk.steps);
    let unit = if walk.is_transposed() { length * HIGH } else { length };
    fill(a.len(), unit, ONCE, &|from, out| {
        let starts = walk.from(from / length);
        let rows = out.chunks_mut(length).zip(starts);
        match step {
            1 => rows.for_each(|(out, [at])| {
                out.copy_from_slice(&all[at..][..length])
            }),
            0 => rows.for_each(|(out, [at])| out.fill(all[at])),
            _ if walk.is_transposed() => tiles(all, rows, length, step),
            _ => rows.for_each(|(out, [at])| {
                let values = run(all, at, length, step);
                out.iter_mut().zip(values).for_each(|(out, x)| *out = x);
            }),
        }
    })
}

/// So many rows at a time: as many numbers as a cache line has.
const HIGH: usize = 16;
/// And so many columns: lines that lie a power of two apart share a few places
/// in a cache, of which there may be as few as eight.
const WIDE: usize = 8;

/// Joins rows whose first numbers are neighbors in memory, tile by tile: what
/// is read of a cache line is then read while it is there.
fn tiles<'a, T: Kept>(
    all: &[T],
    rows: impl Iterator<Item = (&'a mut [T], [usize; 1])>,
    length: usize,
    step: isize,
) {
    let mut rows = rows.peekable();
    let mut band: Vec<(&mut [T], usize)> = Vec::with_capacity(HIGH);
    while rows.peek().is_some() {
        band.clear();
        band.extend(rows.by_ref().take(HIGH).map(|(out, [at])| (out, at)));
        for from in (0..length).step_by(WIDE) {
            let to = length.min(from + WIDE);
            for (out, at) in &mut band {
                let at = *at as isize + from as isize * step;
                let values = run(all, at as usize, to - from, step);
                let out = out[from..to].iter_mut().zip(values);
                out.for_each(|(out, x)| *out = x);
            }
        }
    }
}

/// Writes the elements of an array to the places of a view of a storage.
pub(super) fn paste<T: Kept>(
    storage: &mut dyn Storage,
    view: &View,
    a: &Array,
) -> Result<()> {
    let storage: &mut dyn Any = storage;
    let host: &mut Host<T> =
        storage.downcast_mut().expect("an array knows its device");
    let (all, walk) = (numbers::<T>(a), Walk::new([view, a.view()]));
    let starts = walk.from(0).take(a.len() / walk.length);
    for [to, from] in starts {
        match walk.steps {
            [1, 1] => host.0[to..][..walk.length]
                .copy_from_slice(&all[from..][..walk.length]),
            [p, q] => {
                let values = run(all, from, walk.length, q);
                for (i, x) in (0..).zip(values) {
                    host.0[(to as isize + i * p) as usize] = x;
                }
            }
        }
    }
    Ok(())
}

/// Copies rows of a dense matrix.
pub(super) fn rows_at<T: Kept>(a: &Array, places: &[usize]) -> Result<Shared> {
    let (width, all) = (a.shape()[1], dense::<T>(a));
    fill(places.len() * width, width, ONCE, &|from, out: &mut [T]| {
        let rows = out.chunks_mut(width).zip(&places[from / width..]);
        for (out, place) in rows {
            out.copy_from_slice(&all[place * width..][..width]);
        }
    })
}
