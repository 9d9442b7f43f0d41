//! Self-attention: head by head, the scores of all places in the memory that is
//! nearest. Numbers of 32 bits alone: those of 64 take other operations.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::elementary::{Fma, exp};
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

/// So many places look side by side, in the lanes of the widest processors: what
/// one of them sees stands below one another, and no sum goes across lanes.
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

    /// Finds what scores are multiplied by.
    fn scale(&self) -> f32 {
        (1.0 / f64::from(self.width as u32).sqrt()) as f32
    }

    /// Says how far apart rows of a number for each place begin: each has room
    /// for all lanes.
    fn step(&self) -> usize {
        self.places.next_multiple_of(LANES)
    }

    /// Lists the places that look side by side: where they begin, and how many
    /// are seen by some of them.
    fn looking(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let all = self.places;
        (0..all).step_by(LANES).map(move |i| (i, all.min(i + LANES)))
    }
}

/// Lists the first places, those that are computed side by side together.
fn beside(all: usize) -> impl Iterator<Item = Range<usize>> {
    (0..all).step_by(BESIDE).map(move |i| i..all.min(i + BESIDE))
}

/// Memory for one head. Rows have a number for each place that looks.
struct Room {
    /// Queries, or what comes from above: (width, places).
    turned: Vec<f32>,
    /// The shares of each place in those that see it, and scores or what comes
    /// back to them: (places, places).
    shares: Vec<f32>,
    scores: Vec<f32>,
}

impl Room {
    fn new(sizes: &Sizes) -> Room {
        let rows = |count| vec![0.0; count * sizes.step()];
        let [turned, shares, scores] =
            [sizes.width, sizes.places, sizes.places].map(rows);
        Room { turned, shares, scores }
    }

    /// Lays what each place has out, so that the numbers of all places are in a
    /// row.
    #[inline(always)]
    fn turn<'a>(&mut self, sizes: &Sizes, row: impl Fn(usize) -> &'a [f32]) {
        let (places, step) = (sizes.places, sizes.step());
        let fours = places / 4 * 4;
        for place in (0..fours).step_by(4) {
            let rows = [place, place + 1, place + 2, place + 3].map(&row);
            transpose(rows, place, step, &mut self.turned);
        }
        for place in fours..places {
            let to = self.turned[place..].iter_mut().step_by(step);
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
        let (width, step) = (sizes.width, sizes.step());
        self.turn(sizes, |place| &x[sizes.at(place, 0, head)..][..width]);
        for (first, seen) in sizes.looking() {
            let scores = &mut self.scores[..seen * LANES];
            for some in beside(seen) {
                let by =
                    (&x[sizes.at(some.start, 1, head)..], [3 * sizes.row, 1]);
                let rows = (&self.turned[first..], step);
                let out = (&mut scores[some.start * LANES..], LANES);
                let sums = Sums { by, rows, deep: width };
                sums.fill(simd, some.len(), out, LANES);
            }
            let (rows, _) = scores.as_chunks_mut::<LANES>();
            // Of those of a row so many do not see it.
            let blind = |place: usize| place.saturating_sub(first);
            let mut most = [f32::NEG_INFINITY; LANES];
            for (place, row) in rows.iter().enumerate() {
                for (i, (most, score)) in most.iter_mut().zip(row).enumerate() {
                    let sees = i >= blind(place) && *score > *most;
                    *most = if sees { *score } else { *most };
                }
            }
            let scale = sizes.scale();
            for (place, row) in rows.iter_mut().enumerate() {
                for (i, (score, most)) in row.iter_mut().zip(&most).enumerate()
                {
                    // Any will do whose exponential does not underflow, which
                    // may take a processor much longer.
                    let lower = (*score - most) * scale;
                    *score = if i >= blind(place) { lower } else { 0.0 };
                }
            }
            // Those of all places at once: a few are too few for a loop.
            for score in rows.as_flattened_mut() {
                *score = exp(Fma::of::<S>(), *score);
            }
            let mut total = [0.0; LANES];
            for (place, row) in rows.iter_mut().enumerate() {
                for (i, (total, score)) in total.iter_mut().zip(row).enumerate()
                {
                    *score = if i >= blind(place) { *score } else { 0.0 };
                    *total += *score;
                }
            }
            let one = total.map(|total| 1.0 / total);
            let shares = self.shares[first..].chunks_mut(step);
            for (shares, row) in shares.zip(rows) {
                for ((share, score), one) in
                    shares.iter_mut().zip(row).zip(&one)
                {
                    *share = *score * one;
                }
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
        let rows = (&x[sizes.at(0, 2, head)..], 3 * row);
        for some in beside(places) {
            // Of those behind a place it takes nothing in.
            let by = (&room.shares[some.start..], [1, sizes.step()]);
            let out = &mut out[some.start * row + head * width..];
            let sums = Sums { by, rows, deep: some.end };
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
        let step = sizes.step();
        let above = &above[head * width..];
        let part = |place, part| &x[sizes.at(place, part, head)..];
        room.share(simd, x, &sizes, head);
        room.turn(&sizes, |place| &above[place * row..][..width]);
        let Room { turned, shares, scores } = room;
        let scale = sizes.scale();
        for (first, seen) in sizes.looking() {
            for some in beside(seen) {
                let by = (part(some.start, 2), [3 * row, 1]);
                let out = (&mut scores[some.start * step + first..], step);
                let rows = (&turned[first..], step);
                let sums = Sums { by, rows, deep: width };
                sums.fill(simd, some.len(), out, LANES);
            }
            let mut total = [0.0; LANES];
            let at = |place: usize| place * step + first..;
            for place in 0..seen {
                let pair = shares[at(place)].iter().zip(&scores[at(place)]);
                let sums = total.iter_mut().zip(pair);
                sums.for_each(|(total, (p, s))| *total += p * s);
            }
            for place in 0..seen {
                let pair = shares[at(place)].iter().zip(&mut scores[at(place)]);
                let pairs = total.iter().zip(pair);
                pairs.for_each(|(t, (p, s))| *s = p * (*s - t) * scale);
            }
        }
        for some in beside(places) {
            let by = (&scores[some.start..], [1, step]);
            let to = &mut out[sizes.at(some.start, 0, head)..];
            let sums = Sums { by, rows: (part(0, 1), 3 * row), deep: some.end };
            sums.fill(simd, some.len(), (to, 3 * row), width);
        }
        for some in beside(places) {
            // It was seen by itself and by those behind it.
            let (first, deep) = (some.start, places - some.start);
            let of_keys = (&*scores, (part(first, 0), 3 * row));
            let of_values = (&*shares, (&above[first * row..], row));
            for (part, (by, rows)) in [(1, of_keys), (2, of_values)] {
                let by = (&by[first * (step + 1)..], [step, 1]);
                let to = &mut out[sizes.at(first, part, head)..];
                let sums = Sums { by, rows, deep };
                sums.fill(simd, some.len(), (to, 3 * row), width);
            }
        }
    }
}
