//! Causal self-attention for `f32`. Other element types and long sequences use
//! the composition of other operations.
//!
//! The simple algorithm, for each head:
//!
//! ```text
//! scores[q][k] = dot(query[q], key[k]) / sqrt(width)      for k <= q
//! p[q]         = softmax(scores[q])
//! out[q]       = sum over k of p[q][k] * value[k]
//! ```
//!
//! Four optimizations are applied to it:
//!
//! 1. **One head at a time.** The scores of a head stay in the nearest cache.
//! 2. **Transposed scores.** Rows are keys and columns are queries, [`LANES`]
//!    queries at a time. A softmax then runs down a column, so no sum crosses
//!    the lanes of a register.
//! 3. **Triangular loops.** Blocks of keys after the last query are skipped.
//! 4. **Register blocks.** All matrix products are [`Sums`], which accumulates
//!    [`ROWS`] rows by two registers of columns at once.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::elementary::{Fma, exp};
use super::parallel::fill;
use super::{Array, Shared, compact, dense};
use crate::engine::gemm::transpose;
use crate::error::Result;

/// Maximum number of positions. For longer sequences, tiled matmuls are
/// faster.
const MAX_POSITIONS: usize = 128;

/// Returns whether the scores of a head fit into the nearest cache.
pub(super) fn fits_cache(a: &Array) -> bool {
    a.shape()[1] <= MAX_POSITIONS && !a.is_empty()
}

/// Rows of a register block.
const ROWS: usize = 4;

/// Queries per block: the `f32` lanes of the widest registers (AVX-512).
const LANES: usize = 16;

/// Computes self-attention: (n, positions, 3 * width) -> (n, positions,
/// width).
pub(super) fn rows(a: &Array, heads: usize) -> Result<Shared> {
    let a = compact(a)?;
    let sizes = Sizes::new(&a, heads);
    let (x, sequence) = (dense::<f32>(&a), sizes.positions * sizes.row);
    fill(a.len() / 3, sequence, sizes.positions, &|from, out| {
        let mut scratch = Scratch::new(&sizes);
        let sequences = x[3 * from..].chunks(3 * sequence);
        for (x, out) in sequences.zip(out.chunks_mut(sequence)) {
            for head in 0..heads {
                let scratch = &mut scratch;
                Arch::new().dispatch(Rows { sizes, head, x, scratch, out });
            }
        }
    })
}

/// Computes the gradient of self-attention, which has the shape of `a`.
pub(super) fn grads(
    a: &Array,
    grad_out: &Array,
    heads: usize,
) -> Result<Shared> {
    let (a, grad_out) = (compact(a)?, compact(grad_out)?);
    let sizes = Sizes::new(&a, heads);
    let (x, grad_out) = (dense::<f32>(&a), dense::<f32>(&grad_out));
    let sequence = 3 * sizes.positions * sizes.row;
    fill(a.len(), sequence, sizes.positions, &|from, out| {
        let mut scratch = Scratch::new(&sizes);
        let grads_out = grad_out[from / 3..].chunks(sequence / 3);
        let operands = x[from..].chunks(sequence).zip(grads_out);
        for ((x, grad_out), out) in operands.zip(out.chunks_mut(sequence)) {
            for head in 0..heads {
                let scratch = &mut scratch;
                let grads = Grads { sizes, head, x, grad_out, scratch, out };
                Arch::new().dispatch(grads);
            }
        }
    })
}

/// The sizes of a sequence and of a head.
#[derive(Clone, Copy)]
struct Sizes {
    positions: usize,
    /// Elements of all heads at one position.
    row: usize,
    /// Elements of one head at one position.
    width: usize,
}

impl Sizes {
    fn new(a: &Array, heads: usize) -> Sizes {
        let (positions, row) = (a.shape()[1], a.shape()[2] / 3);
        Sizes { positions, row, width: row / heads }
    }

    /// Returns the offset in a sequence of a head's query (part 0), key (1) or
    /// value (2) at a position.
    fn offset(&self, position: usize, part: usize, head: usize) -> usize {
        (3 * position + part) * self.row + head * self.width
    }

    /// Returns the factor of the scores, `1 / sqrt(width)`.
    fn scale(&self) -> f32 {
        (1.0 / f64::from(self.width as u32).sqrt()) as f32
    }

    /// Returns the distance between rows of one element per position. Rows are
    /// padded to a multiple of [`LANES`].
    fn step(&self) -> usize {
        self.positions.next_multiple_of(LANES)
    }

    /// Enumerates the blocks of queries: the first query, and the number of
    /// keys that at least one query of the block attends to.
    fn query_blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let all = self.positions;
        (0..all).step_by(LANES).map(move |i| (i, all.min(i + LANES)))
    }
}

/// Splits `0..count` into ranges of [`ROWS`].
fn row_blocks(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(ROWS).map(move |i| i..count.min(i + ROWS))
}

/// Memory for one head. Every row has one element per query.
struct Scratch {
    /// Queries, or upstream gradients: (width, positions).
    transposed: Vec<f32>,
    /// Probabilities, (keys, queries).
    probs: Vec<f32>,
    /// Scores or their gradients, (keys, queries).
    scores: Vec<f32>,
}

impl Scratch {
    fn new(sizes: &Sizes) -> Scratch {
        let rows = |count| vec![0.0; count * sizes.step()];
        let [transposed, probs, scores] =
            [sizes.width, sizes.positions, sizes.positions].map(rows);
        Scratch { transposed, probs, scores }
    }

    /// Transposes one row per position to (width, positions).
    #[inline(always)]
    fn transpose<'a>(
        &mut self,
        sizes: &Sizes,
        row: impl Fn(usize) -> &'a [f32],
    ) {
        let (positions, step) = (sizes.positions, sizes.step());
        let fours = positions / 4 * 4;
        for i in (0..fours).step_by(4) {
            let rows = [i, i + 1, i + 2, i + 3].map(&row);
            transpose(rows, i, step, &mut self.transposed);
        }
        for i in fours..positions {
            let to = self.transposed[i..].iter_mut().step_by(step);
            to.zip(row(i)).for_each(|(to, x)| *to = *x);
        }
    }

    /// Computes the probabilities of a head. A query gives probability 0 to
    /// the keys after its own position.
    #[inline(always)]
    fn compute_probs<S: Simd>(
        &mut self,
        simd: S,
        x: &[f32],
        sizes: &Sizes,
        head: usize,
    ) {
        let (width, step) = (sizes.width, sizes.step());
        self.transpose(sizes, |i| &x[sizes.offset(i, 0, head)..][..width]);
        for (first, keys) in sizes.query_blocks() {
            let scores = &mut self.scores[..keys * LANES];
            for block in row_blocks(keys) {
                let keys = &x[sizes.offset(block.start, 1, head)..];
                let a = (keys, [3 * sizes.row, 1]);
                let b = (&self.transposed[first..], step);
                let out = (&mut scores[block.start * LANES..], LANES);
                let sums = Sums { a, b, inner: width };
                sums.fill(simd, block.len(), out, LANES);
            }
            let (rows, _) = scores.as_chunks_mut::<LANES>();
            // Query `first + i` attends to a key if `i >= masked(key)`.
            let masked = |key: usize| key.saturating_sub(first);
            let mut max = [f32::NEG_INFINITY; LANES];
            for (key, row) in rows.iter().enumerate() {
                for (i, (max, score)) in max.iter_mut().zip(row).enumerate() {
                    let is_larger = i >= masked(key) && *score > *max;
                    *max = if is_larger { *score } else { *max };
                }
            }
            let scale = sizes.scale();
            for (key, row) in rows.iter_mut().enumerate() {
                for (i, (score, max)) in row.iter_mut().zip(&max).enumerate() {
                    // Masked scores become 0 for now. Their exponentials must
                    // not underflow, because subnormal results are slow.
                    let lower = (*score - max) * scale;
                    *score = if i >= masked(key) { lower } else { 0.0 };
                }
            }
            // One loop over all rows, because a row is too short to vectorize.
            for score in rows.as_flattened_mut() {
                *score = exp(Fma::for_simd::<S>(), *score);
            }
            let mut total = [0.0; LANES];
            for (key, row) in rows.iter_mut().enumerate() {
                for (i, (total, score)) in total.iter_mut().zip(row).enumerate()
                {
                    *score = if i >= masked(key) { *score } else { 0.0 };
                    *total += *score;
                }
            }
            let inverse = total.map(|total| 1.0 / total);
            let probs = self.probs[first..].chunks_mut(step);
            for (probs, row) in probs.zip(rows) {
                for ((p, score), inverse) in
                    probs.iter_mut().zip(row).zip(&inverse)
                {
                    *p = *score * inverse;
                }
            }
        }
    }
}

/// A matrix product: (rows, inner) x (inner, columns).
struct Sums<'a> {
    /// The left operand, with the strides of its rows and of `inner`.
    a: (&'a [f32], [usize; 2]),
    /// The right operand, with the stride of its rows.
    b: (&'a [f32], usize),
    inner: usize,
}

impl Sums<'_> {
    /// Writes up to [`ROWS`] rows of the product to `out`, whose rows have
    /// stride `step`.
    #[inline(always)]
    fn fill<S: Simd>(
        self,
        simd: S,
        rows: usize,
        (out, step): (&mut [f32], usize),
        columns: usize,
    ) {
        if rows == ROWS {
            return self.write::<S, ROWS>(simd, out, step, columns);
        }
        let (a, strides) = self.a;
        for i in 0..rows {
            let row = Sums { a: (&a[i * strides[0]..], strides), ..self };
            row.write::<S, 1>(simd, &mut out[i * step..], step, columns);
        }
    }

    /// Writes `R` rows of the product, two registers of columns at a time
    /// while possible: an element of `a` is then broadcast once for both.
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
            let columns = from..from + two;
            self.block::<S, R, 2>(simd, out, out_step, columns);
        }
        for from in (pairs..columns).step_by(one) {
            let columns = from..columns.min(from + one);
            self.block::<S, R, 1>(simd, out, out_step, columns);
        }
    }

    /// Writes a block of `R` rows and the columns of `N` registers, or of a
    /// part of one register.
    #[inline(always)]
    fn block<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        out: &mut [f32],
        out_step: usize,
        columns: Range<usize>,
    ) {
        let (a, [row_stride, inner_stride]) = self.a;
        let (b, step) = self.b;
        let mut sums = [[simd.splat_f32s(0.0); N]; R];
        for k in 0..self.inner {
            let row = &b[k * step..][columns.clone()];
            let row: [S::f32s; N] = match S::as_simd_f32s(row) {
                (row, []) if row.len() == N => std::array::from_fn(|j| row[j]),
                _ => [simd.partial_load_f32s(row); N],
            };
            for i in 0..R {
                let x = a[i * row_stride + k * inner_stride];
                let x = simd.splat_f32s(x);
                for j in 0..N {
                    sums[i][j] = simd.mul_add_e_f32s(x, row[j], sums[i][j]);
                }
            }
        }
        for i in 0..R {
            let out = &mut out[i * out_step..][columns.clone()];
            match S::as_mut_simd_f32s(out) {
                (out, []) if out.len() == N => out.copy_from_slice(&sums[i]),
                (_, _) => simd.partial_store_f32s(out, sums[i][0]),
            }
        }
    }
}

/// The forward pass of one head of one sequence.
struct Rows<'a> {
    sizes: Sizes,
    head: usize,
    x: &'a [f32],
    scratch: &'a mut Scratch,
    out: &'a mut [f32],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Rows { sizes, head, x, scratch, out } = self;
        let Sizes { positions, row, width } = sizes;
        scratch.compute_probs(simd, x, &sizes, head);
        let values = (&x[sizes.offset(0, 2, head)..], 3 * row);
        for block in row_blocks(positions) {
            // Keys after the block's last query have probability 0.
            let a = (&scratch.probs[block.start..], [1, sizes.step()]);
            let out = &mut out[block.start * row + head * width..];
            let sums = Sums { a, b: values, inner: block.end };
            sums.fill(simd, block.len(), (out, row), width);
        }
    }
}

/// The backward pass of one head of one sequence. With `p` and `s` for the
/// probabilities and the scores, and `dx` for the gradient of `x`:
///
/// ```text
/// dp[q][k]  = dot(d_out[q], value[k])
/// ds[q][k]  = p[q][k] * (dp[q][k] - sum over j of p[q][j] * dp[q][j])
/// dquery[q] = sum over k of ds[q][k] * key[k]   * scale
/// dkey[k]   = sum over q of ds[q][k] * query[q] * scale
/// dvalue[k] = sum over q of p[q][k]  * d_out[q]
/// ```
struct Grads<'a> {
    sizes: Sizes,
    head: usize,
    x: &'a [f32],
    grad_out: &'a [f32],
    scratch: &'a mut Scratch,
    out: &'a mut [f32],
}

impl WithSimd for Grads<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Grads { sizes, head, x, grad_out, scratch, out } = self;
        let Sizes { positions, row, width } = sizes;
        let step = sizes.step();
        let grad_out = &grad_out[head * width..];
        let part = |position, part| &x[sizes.offset(position, part, head)..];
        scratch.compute_probs(simd, x, &sizes, head);
        scratch.transpose(&sizes, |i| &grad_out[i * row..][..width]);
        let Scratch { transposed, probs, scores } = scratch;
        let scale = sizes.scale();
        // Replace the scores by their gradients.
        for (first, keys) in sizes.query_blocks() {
            for block in row_blocks(keys) {
                let a = (part(block.start, 2), [3 * row, 1]);
                let out = (&mut scores[block.start * step + first..], step);
                let b = (&transposed[first..], step);
                let sums = Sums { a, b, inner: width };
                sums.fill(simd, block.len(), out, LANES);
            }
            let mut total = [0.0; LANES];
            let from = |key: usize| key * step + first..;
            for key in 0..keys {
                let pair = probs[from(key)].iter().zip(&scores[from(key)]);
                let sums = total.iter_mut().zip(pair);
                sums.for_each(|(total, (p, s))| *total += p * s);
            }
            for key in 0..keys {
                let pair = probs[from(key)].iter().zip(&mut scores[from(key)]);
                let pairs = total.iter().zip(pair);
                pairs.for_each(|(t, (p, s))| *s = p * (*s - t) * scale);
            }
        }
        for block in row_blocks(positions) {
            let a = (&scores[block.start..], [1, step]);
            let to = &mut out[sizes.offset(block.start, 0, head)..];
            let b = (part(0, 1), 3 * row);
            let sums = Sums { a, b, inner: block.end };
            sums.fill(simd, block.len(), (to, 3 * row), width);
        }
        for block in row_blocks(positions) {
            // Only queries at or after a key's position attend to it.
            let (first, inner) = (block.start, positions - block.start);
            let of_keys = (&*scores, (part(first, 0), 3 * row));
            let of_values = (&*probs, (&grad_out[first * row..], row));
            for (part, (a, b)) in [(1, of_keys), (2, of_values)] {
                let a = (&a[first * (step + 1)..], [step, 1]);
                let to = &mut out[sizes.offset(first, part, head)..];
                let sums = Sums { a, b, inner };
                sums.fill(simd, block.len(), (to, 3 * row), width);
            }
        }
    }
}
