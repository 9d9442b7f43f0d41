//! Self-attention: head by head, the scores of all places in the memory that is
//! nearest. Numbers of 32 bits alone: those of 64 take other operations.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::elementary::{Fma, exp};
use super::lanes::{most, total};
use super::walk::fill;
use super::{Array, Shared, compact, dense};
use crate::error::Result;
use crate::product::transpose;

/// Longer texts have products that are worth tiles of their own.
const PLACES: usize = 128;

/// Tells whether the scores of a head stay in the nearest memory.
pub(super) fn is_near(a: &Array) -> bool {
    a.shape()[1] <= PLACES && !a.is_empty()
}

/// So many places are computed side by side: their sums grow at once.
const BESIDE: usize = 4;

/// As many lanes as the widest processors have.
const LANES: usize = 16;

/// Computes what each place takes in: (n, places, 3 * width) -> (n, places,
/// width).
pub(super) fn rows(a: &Array, heads: usize) -> Result<Shared> {
    let a = compact(a)?;
    let sizes = Sizes::of(&a, heads);
    let (x, text) = (dense::<f32>(&a), sizes.places * sizes.row);
    fill(a.len() / 3, text, sizes.places, &|from, out| {
        let mut room = Room::new(&sizes);
        let texts = x[3 * from..].chunks(3 * text);
        for (x, out) in texts.zip(out.chunks_mut(text)) {
            for head in 0..heads {
                let room = &mut room;
                Arch::new().dispatch(Rows { sizes, head, x, room, out });
            }
        }
    })
}

/// Computes the gradient of the same, of the shape of `a`.
pub(super) fn grads(
    a: &Array,
    grad_out: &Array,
    heads: usize,
) -> Result<Shared> {
    let (a, grad_out) = (compact(a)?, compact(grad_out)?);
    let sizes = Sizes::of(&a, heads);
    let (x, above) = (dense::<f32>(&a), dense::<f32>(&grad_out));
    let text = 3 * sizes.places * sizes.row;
    fill(a.len(), text, sizes.places, &|from, out| {
        let mut room = Room::new(&sizes);
        let given =
            x[from..].chunks(text).zip(above[from / 3..].chunks(text / 3));
        for ((x, above), out) in given.zip(out.chunks_mut(text)) {
            for head in 0..heads {
                let room = &mut room;
                let grads = Grads { sizes, head, x, above, room, out };
                Arch::new().dispatch(grads);
            }
        }
    })
}

/// The sizes of a text and of a head.
#[derive(Clone, Copy)]
struct Sizes {
    places: usize,
    /// The numbers of all heads, at one place.
    row: usize,
    /// The numbers of one.
    width: usize,
}

impl Sizes {
    fn of(a: &Array, heads: usize) -> Sizes {
        let (places, row) = (a.shape()[1], a.shape()[2] / 3);
        Sizes { places, row, width: row / heads }
    }

    /// Says where in a text the queries (0), keys (1) or values (2) of a head
    /// begin at a place.
    fn at(&self, place: usize, part: usize, head: usize) -> usize {
        (3 * place + part) * self.row + head * self.width
    }

    /// Lists the places side by side: where they begin, and how many they are.
    fn beside(&self) -> impl Iterator<Item = Range<usize>> {
        let all = self.places;
        (0..all).step_by(BESIDE).map(move |i| i..all.min(i + BESIDE))
    }
}

/// Memory for one head.
struct Room {
    /// The queries, times what the scores are multiplied by: (places, width).
    queries: Vec<f32>,
    /// Keys, and then values: (width, places).
    turned: Vec<f32>,
    /// The shares of all places in each, and scores or what comes back to
    /// them: (places, places).
    shares: Vec<f32>,
    scores: Vec<f32>,
}

impl Room {
    fn new(sizes: &Sizes) -> Room {
        let Sizes { places, width, .. } = *sizes;
        let [one, all] = [places * width, places * places];
        let (queries, turned) = (vec![0.0; one], vec![0.0; one]);
        Room { queries, turned, shares: vec![0.0; all], scores: vec![0.0; all] }
    }

    /// Lays keys or values out, so that the numbers of all places are in a row.
    #[inline(always)]
    fn turn(&mut self, x: &[f32], sizes: &Sizes, part: usize, head: usize) {
        let Sizes { places, width, .. } = *sizes;
        let row = |place| &x[sizes.at(place, part, head)..][..width];
        let fours = places / 4 * 4;
        for place in (0..fours).step_by(4) {
            let rows = [place, place + 1, place + 2, place + 3].map(row);
            transpose(rows, place, places, &mut self.turned);
        }
        for place in fours..places {
            let to = self.turned[place..].iter_mut().step_by(places);
            to.zip(row(place)).for_each(|(to, x)| *to = *x);
        }
    }

    /// Computes the shares that each place gives to itself and those before
    /// it; those behind it have none.
    #[inline(always)]
    fn share<S: Simd>(
        &mut self,
        simd: S,
        x: &[f32],
        sizes: &Sizes,
        head: usize,
    ) {
        let Sizes { places, width, .. } = *sizes;
        let scale = (1.0 / f64::from(width as u32).sqrt()) as f32;
        for place in 0..places {
            let row = &x[sizes.at(place, 0, head)..][..width];
            let to = self.queries[place * width..][..width].iter_mut();
            to.zip(row).for_each(|(to, x)| *to = *x * scale);
        }
        self.turn(x, sizes, 1, head);
        for some in sizes.beside() {
            let by = (&self.queries[some.start * width..], [width, 1]);
            let seen = some.end.next_multiple_of(LANES).min(places);
            let scores = &mut self.scores[..some.len() * seen];
            let sums = Sums { by, rows: (&self.turned, places), deep: width };
            sums.fill(simd, some.len(), (scores, seen), seen);
            for (place, scores) in some.clone().zip(scores.chunks_mut(seen)) {
                scores[place + 1..].fill(f32::NEG_INFINITY);
                let most = most(scores);
                scores.iter_mut().for_each(|score| *score -= most);
                // Any will do whose exponential does not underflow, which may
                // take a processor much longer.
                scores[place + 1..].fill(0.0);
            }
            // Those of all places at once: a few are too few for a loop.
            for score in &mut *scores {
                *score = exp(Fma::of::<S>(), *score);
            }
            let shares = self.shares[some.start * places..].chunks_mut(places);
            let pairs = shares.zip(scores.chunks_mut(seen));
            for (place, (shares, scores)) in some.zip(pairs) {
                scores[place + 1..].fill(0.0);
                let one = 1.0 / total([&*scores], |[x]| x);
                let (shares, none) = shares.split_at_mut(seen);
                let pairs = shares.iter_mut().zip(scores);
                pairs.for_each(|(share, score)| *share = *score * one);
                none.fill(0.0);
            }
        }
    }
}

/// Rows that are added up, each times a number: (results, deep) x (deep,
/// columns).
struct Sums<'a> {
    /// The numbers, and how far apart those of a result and those of a row are.
    by: (&'a [f32], [usize; 2]),
    /// The rows, and how far apart they begin.
    rows: (&'a [f32], usize),
    deep: usize,
}

impl Sums<'_> {
    /// Writes some results, as many as are computed side by side or fewer, into
    /// rows that begin so far apart.
    #[inline(always)]
    fn fill<S: Simd>(
        self,
        simd: S,
        results: usize,
        (out, step): (&mut [f32], usize),
        columns: usize,
    ) {
        if results == BESIDE {
            return self.write::<S, BESIDE>(simd, out, step, columns);
        }
        let (by, steps) = self.by;
        for i in 0..results {
            let one = Sums { by: (&by[i * steps[0]..], steps), ..self };
            one.write::<S, 1>(simd, &mut out[i * step..], step, columns);
        }
    }

    /// Takes two registers of columns at a time, as far as there are so many:
    /// each number is then brought to a register once for both.
    #[inline(always)]
    fn write<S: Simd, const R: usize>(
        &self,
        simd: S,
        out: &mut [f32],
        out_step: usize,
        columns: usize,
    ) {
        let [one, two] = [1, 2].map(|count| count * S::F32_LANES);
        let pairs = columns / two * two;
        for from in (0..pairs).step_by(two) {
            let some = from..from + two;
            self.piece::<S, R, 2>(simd, out, out_step, some);
        }
        for from in (pairs..columns).step_by(one) {
            let some = from..columns.min(from + one);
            self.piece::<S, R, 1>(simd, out, out_step, some);
        }
    }

    /// Writes some columns, which fill so many registers, or a part of one.
    #[inline(always)]
    fn piece<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        out: &mut [f32],
        out_step: usize,
        some: Range<usize>,
    ) {
        let (by, [across, along]) = self.by;
        let (rows, step) = self.rows;
        let mut sums = [[simd.splat_f32s(0.0); N]; R];
        for k in 0..self.deep {
            let row = &rows[k * step..][some.clone()];
            let row: [S::f32s; N] = match S::as_simd_f32s(row) {
                (row, []) if row.len() == N => std::array::from_fn(|j| row[j]),
                _ => [simd.partial_load_f32s(row); N],
            };
            for i in 0..R {
                let by = simd.splat_f32s(by[i * across + k * along]);
                for j in 0..N {
                    sums[i][j] = simd.mul_add_e_f32s(by, row[j], sums[i][j]);
                }
            }
        }
        for i in 0..R {
            let out = &mut out[i * out_step..][some.clone()];
            match S::as_mut_simd_f32s(out) {
                (out, []) if out.len() == N => out.copy_from_slice(&sums[i]),
                (_, _) => simd.partial_store_f32s(out, sums[i][0]),
            }
        }
    }
}

struct Rows<'a> {
    sizes: Sizes,
    head: usize,
    x: &'a [f32],
    room: &'a mut Room,
    out: &'a mut [f32],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Rows { sizes, head, x, room, out } = self;
        let Sizes { places, row, width } = sizes;
        room.share(simd, x, &sizes, head);
        let values = (&x[sizes.at(0, 2, head)..], 3 * row);
        for some in sizes.beside() {
            // Of those behind a place it takes nothing in.
            let by = (&room.shares[some.start * places..], [places, 1]);
            let sums = Sums { by, rows: values, deep: some.end };
            let out = &mut out[some.start * row + head * width..];
            sums.fill(simd, some.len(), (out, row), width);
        }
    }
}

struct Grads<'a> {
    sizes: Sizes,
    head: usize,
    x: &'a [f32],
    above: &'a [f32],
    room: &'a mut Room,
    out: &'a mut [f32],
}

impl WithSimd for Grads<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Grads { sizes, head, x, above, room, out } = self;
        let Sizes { places, row, width } = sizes;
        let scale = (1.0 / f64::from(width as u32).sqrt()) as f32;
        room.share(simd, x, &sizes, head);
        room.turn(x, &sizes, 2, head);
        let above = &above[head * width..];
        let keys = (&x[sizes.at(0, 1, head)..], 3 * row);
        let Room { queries, turned, shares, scores } = room;
        for some in sizes.beside() {
            let by = (&above[some.start * row..], [row, 1]);
            let to = &mut scores[some.start * places..];
            let sums = Sums { by, rows: (turned, places), deep: width };
            sums.fill(simd, some.len(), (to, places), some.end);
            for place in some.clone() {
                let shares = &shares[place * places..][..places];
                let scores = &mut scores[place * places..][..places];
                scores[place + 1..].fill(0.0);
                let total = total([shares, &*scores], |[p, s]| p * s);
                let pairs = scores.iter_mut().zip(shares);
                pairs.for_each(|(s, p)| *s = p * (*s - total));
            }
            let by = (&scores[some.start * places..], [places, 1]);
            let to = &mut out[sizes.at(some.start, 0, head)..];
            let sums = Sums { by, rows: keys, deep: some.end };
            sums.fill(simd, some.len(), (&mut *to, 3 * row), width);
            for query in to.chunks_mut(3 * row).take(some.len()) {
                query[..width].iter_mut().for_each(|x| *x *= scale);
            }
        }
        for some in sizes.beside() {
            // It was seen by itself and by those behind it.
            let (first, deep) = (some.start, places - some.start);
            let of_keys = (&*scores, (&queries[first * width..], width));
            let of_values = (&*shares, (&above[first * row..], row));
            for (part, (by, rows)) in [(1, of_keys), (2, of_values)] {
                let by = (&by[first * (places + 1)..], [1, places]);
                let to = &mut out[sizes.at(first, part, head)..];
                let sums = Sums { by, rows, deep };
                sums.fill(simd, some.len(), (to, 3 * row), width);
            }
        }
    }
}
