//! Self-attention: head by head, the scores of a place in a row of the memory
//! that is nearest.

use pulp::{Arch, Simd, WithSimd};

use super::lanes::{add, combine, most, total};
use super::real::Number;
use super::walk::fill;
use super::{Array, Shared, compact, dense};
use crate::error::Result;

/// Longer texts have products that are worth tiles of their own.
pub(super) const PLACES: usize = 128;

/// Computes what each place takes in: (n, places, 3 * width) -> (n, places,
/// width).
pub(super) fn rows<T: Number>(a: &Array, heads: usize) -> Result<Shared> {
    let a = compact(a)?;
    let sizes = Sizes::of(&a, heads);
    let (x, text) = (dense::<T>(&a), sizes.places * sizes.row);
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
pub(super) fn grads<T: Number>(
    a: &Array,
    grad_out: &Array,
    heads: usize,
) -> Result<Shared> {
    let (a, grad_out) = (compact(a)?, compact(grad_out)?);
    let sizes = Sizes::of(&a, heads);
    let (x, above) = (dense::<T>(&a), dense::<T>(&grad_out));
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
}

/// Memory for one head.
struct Room<T> {
    /// The queries, times what the scores are multiplied by.
    queries: Vec<T>,
    /// Keys and values, each number of all places in a row.
    keys: Vec<T>,
    values: Vec<T>,
    /// The shares of one place, and what comes back to its scores.
    shares: Vec<T>,
    scores: Vec<T>,
}

impl<T: Number> Room<T> {
    fn new(sizes: &Sizes) -> Room<T> {
        let all = || vec![T::zero(); sizes.places * sizes.width];
        let one = || vec![T::zero(); sizes.places];
        let (queries, keys, values) = (all(), all(), all());
        Room { queries, keys, values, shares: one(), scores: one() }
    }

    /// Lays a head out.
    #[inline(always)]
    fn lay(&mut self, x: &[T], sizes: &Sizes, head: usize) {
        let Sizes { places, width, .. } = *sizes;
        let scale = T::nearest(1.0 / (width as f64).sqrt());
        for place in 0..places {
            let part = |part| &x[sizes.at(place, part, head)..][..width];
            let queries = self.queries[place * width..][..width].iter_mut();
            queries.zip(part(0)).for_each(|(to, x)| *to = *x * scale);
            for (c, (key, value)) in part(1).iter().zip(part(2)).enumerate() {
                self.keys[c * places + place] = *key;
                self.values[c * places + place] = *value;
            }
        }
    }

    /// Computes the shares that a place gives to itself and those before it;
    /// those behind it have none.
    #[inline(always)]
    fn share(&mut self, place: usize, sizes: &Sizes) {
        let Sizes { places, width, .. } = *sizes;
        let queries = &self.queries[place * width..][..width];
        let shares = &mut self.shares[..];
        combine(shares, queries, |c| &self.keys[c * places..][..places]);
        shares[place + 1..].fill(T::nearest(f64::NEG_INFINITY));
        let most = most(shares);
        shares.iter_mut().for_each(|x| *x = (*x - most).exponential());
        let one = T::nearest(1.0) / total([&*shares], |[x]| x);
        shares.iter_mut().for_each(|x| *x = *x * one);
    }
}

struct Rows<'a, T> {
    sizes: Sizes,
    head: usize,
    x: &'a [T],
    room: &'a mut Room<T>,
    out: &'a mut [T],
}

impl<T: Number> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Rows { sizes, head, x, room, out } = self;
        room.lay(x, &sizes, head);
        for place in 0..sizes.places {
            room.share(place, &sizes);
            let at = place * sizes.row + head * sizes.width;
            let out = &mut out[at..][..sizes.width];
            let value = |j| &x[sizes.at(j, 2, head)..][..sizes.width];
            combine(out, &room.shares[..=place], value);
        }
    }
}

struct Grads<'a, T> {
    sizes: Sizes,
    head: usize,
    x: &'a [T],
    above: &'a [T],
    room: &'a mut Room<T>,
    out: &'a mut [T],
}

impl<T: Number> WithSimd for Grads<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Grads { sizes, head, x, above, room, out } = self;
        let Sizes { places, row, width } = sizes;
        let scale = T::nearest(1.0 / (width as f64).sqrt());
        room.lay(x, &sizes, head);
        for place in 0..places {
            for part in 1..3 {
                out[sizes.at(place, part, head)..][..width].fill(T::zero());
            }
        }
        for place in 0..places {
            room.share(place, &sizes);
            let Room { queries, values, shares, scores, .. } = &mut *room;
            let above = &above[place * row + head * width..][..width];
            combine(scores, above, |c| &values[c * places..][..places]);
            scores[place + 1..].fill(T::zero());
            let total = total([&*shares, &*scores], |[p, s]| p * s);
            let pairs = scores.iter_mut().zip(&*shares);
            pairs.for_each(|(s, p)| *s = *p * (*s - total));
            let seen = &scores[..=place];
            let query = &mut out[sizes.at(place, 0, head)..][..width];
            combine(query, seen, |j| &x[sizes.at(j, 1, head)..][..width]);
            query.iter_mut().for_each(|x| *x = *x * scale);
            let queries = &queries[place * width..][..width];
            for (j, (score, share)) in seen.iter().zip(&*shares).enumerate() {
                let [k, v] = [1, 2].map(|part| sizes.at(j, part, head));
                add(&mut out[k..][..width], *score, queries);
                add(&mut out[v..][..width], *share, above);
            }
        }
    }
}
