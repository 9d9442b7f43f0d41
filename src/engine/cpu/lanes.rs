//! Sums in a form that the compiler vectorizes: chunks of a constant length,
//! with one partial sum per lane that stays in a register.

use std::array::from_fn;
use std::hint::black_box;

use super::real::CpuFloat;

/// The number of `f32` lanes of the widest registers (AVX-512).
const LANES: usize = 16;

/// Sums `term(rows[0][i], rows[1][i], ..)` over all `i`. The rows have one
/// length. There are [`LANES`] partial sums, which are added pairwise.
#[inline(always)]
pub(super) fn total<T: CpuFloat, const N: usize>(
    rows: [&[T]; N],
    term: impl Fn([T; N]) -> T,
) -> T {
    let n = rows[0].len();
    let mut sums = [T::zero(); LANES];
    for chunk in 0..n / LANES {
        let chunk = rows.map(|row| &row[chunk * LANES..][..LANES]);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + term(chunk.map(|row| row[i]));
        }
    }
    if !n.is_multiple_of(LANES) {
        // Indexing `sums` with a variable would move it to memory, so the
        // remainder is added from a separate array.
        let rest = rows.map(|row| &row[n / LANES * LANES..]);
        let mut last = [T::zero(); LANES];
        for (i, last) in last[..n % LANES].iter_mut().enumerate() {
            *last = term(rest.map(|row| row[i]));
        }
        sums = from_fn(|i| sums[i] + last[i]);
    }
    // Without the barrier, the compiler vectorizes the loop above for the
    // pairwise additions below, with two lanes instead of all.
    let all = black_box(sums);
    let all: [T; 8] = from_fn(|i| all[i] + all[i + 8]);
    let all: [T; 4] = from_fn(|i| all[i] + all[i + 4]);
    (all[0] + all[2]) + (all[1] + all[3])
}
