//! Softmax and log-softmax of the rows of a matrix.
//!
//! The simple algorithm, for each row:
//!
//! ```text
//! e[i]   = exp(x[i] - max(x))
//! out[i] = e[i] / sum(e)
//! ```
//!
//! Two optimizations are applied to it:
//!
//! 1. **Vectorized exponentials.** See `elementary`.
//! 2. **Threads.** They share the rows; see `parallel::fill`.

use pulp::Arch;

use super::elementary::each;
use super::parallel::{EXP_COST, fill};
use super::reduce::{max, sum};
use super::types::CpuFloat;
use super::{Array, Shared, dense};
use crate::error::Result;

/// Computes the softmax of each row of a dense matrix.
pub(super) fn softmax<T: CpuFloat>(a: &Array) -> Result<Shared> {
    with_exponentials(a, |_, _, total, out: &mut [T]| {
        let total = T::nearest(total);
        out.iter_mut().for_each(|out| *out = *out / total);
    })
}

/// Computes the log-softmax of each row of a dense matrix.
pub(super) fn log_softmax<T: CpuFloat>(a: &Array) -> Result<Shared> {
    with_exponentials(a, |row, max, total, out: &mut [T]| {
        let log = T::nearest(total.ln());
        // Subtract the maximum first: next to a large maximum, the logarithm
        // would be rounded away.
        let out = out.iter_mut().zip(row);
        out.for_each(|(out, x)| *out = *x - max - log);
    })
}

/// Writes `exp(x - max)` for each row, so that no exponential exceeds 1. Then
/// calls `finish` with the row, its maximum, the sum of the exponentials, and
/// the exponentials, which it replaces by the result.
fn with_exponentials<T: CpuFloat>(
    a: &Array,
    finish: impl Fn(&[T], T, f64, &mut [T]) + Sync,
) -> Result<Shared> {
    let (rows, columns) = (dense::<T>(a), a.shape()[1]);
    fill(a.len(), columns, EXP_COST, &|from, out| {
        let rows = rows[from..].chunks(columns);
        for (out, row) in out.chunks_mut(columns).zip(rows) {
            let max = max(row);
            each(row, out, |fma, x| T::fast_exp(fma, x - max));
            let total = sum(out);
            Arch::new().dispatch(|| finish(row, max, total, out));
        }
    })
}
