//! One element from the elements at the same place, and elements moved.

use std::hint::select_unpredictable;

use super::elementary::{self, each};
use super::walk::{ANYWHERE, ONCE, Walk, fill, run};
use super::{Array, Binary, Shared, Unary, dense, numbers};
use crate::error::Result;

pub(super) fn unary(op: Unary, a: &Array) -> Result<Shared> {
    match op {
        Unary::Scale(number) => map(a, |x| x * number),
        Unary::Shift(number) => map(a, |x| x + number),
        Unary::DivScalar(number) => map(a, |x| x / number),
        Unary::RdivScalar(number) => map(a, |x| number / x),
        Unary::Sqrt => map(a, f32::sqrt),
        Unary::Square => map(a, |x| x * x),
        Unary::Relu => map(a, |x| if x <= 0.0 { 0.0 } else { x }),
        Unary::Exp => map(a, elementary::exp),
        Unary::Log => map(a, elementary::log),
        Unary::Tanh => map(a, elementary::tanh),
        Unary::Sigmoid => map(a, elementary::sigmoid),
        // One loop for all of these; nobody has timed one for each.
        slow => map(a, move |x| slow.apply(x)),
    }
}

/// Computes `f` of each element of a dense array.
fn map(a: &Array, f: impl Fn(f32) -> f32 + Sync) -> Result<Shared> {
    let x = dense(a);
    fill(x.len(), ANYWHERE, ONCE, &|from, out| each(&x[from..], out, &f))
}

// ANCHOR: binary
/// Computes `op` of each pair. Each operation has a loop of its own, so that it
/// is compiled for what it does: with [`Binary::apply`] in one loop for all,
/// 4,096 sums take 5.7 times as long (an Intel Xeon, Rust 1.95.0, November
/// 2026).
pub(super) fn pairs(op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    match op {
        Binary::Add => zip(a, b, |x, y| x + y),
        Binary::Mul => zip(a, b, |x, y| x * y),
        Binary::Div => zip(a, b, |x, y| x / y),
        Binary::Lt => zip(a, b, |x, y| f32::from(x < y)),
        Binary::Le => zip(a, b, |x, y| f32::from(x <= y)),
        Binary::Eq => zip(a, b, |x, y| f32::from(x == y)),
        Binary::Pow => zip(a, b, f32::powf),
    }
}
// ANCHOR_END: binary

/// Computes `f` of each pair. What is broadcast is read where it lies, as
/// often as it is needed.
fn zip(
    a: &Array,
    b: &Array,
    f: impl Fn(f32, f32) -> f32 + Sync,
) -> Result<Shared> {
    if a.is_dense() && b.is_dense() {
        let (x, y) = (dense(a), dense(b));
        return fill(x.len(), ANYWHERE, ONCE, &|from, out| {
            let pairs = x[from..].iter().zip(&y[from..]);
            out.iter_mut().zip(pairs).for_each(|(o, (x, y))| *o = f(*x, *y));
        });
    }
    let (all, others) = (numbers(a), numbers(b));
    let walk = Walk::new([a.view(), b.view()]);
    let length = walk.length;
    fill(a.len(), length, ONCE, &|from, out| {
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
}

pub(super) fn where_cond(mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
    let [m, x, y] = [mask, a, b].map(numbers);
    let walk = Walk::new([mask.view(), a.view(), b.view()]);
    let length = walk.length;
    // A processor guesses where a branch goes, and a mask has no pattern.
    let choice = |m: f32, x: f32, y: f32| select_unpredictable(m != 0.0, x, y);
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
pub(super) fn copy(a: &Array) -> Result<Shared> {
    let all = numbers(a);
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
fn tiles<'a>(
    all: &[f32],
    rows: impl Iterator<Item = (&'a mut [f32], [usize; 1])>,
    length: usize,
    step: isize,
) {
    let mut rows = rows.peekable();
    let mut band: Vec<(&mut [f32], usize)> = Vec::with_capacity(HIGH);
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
