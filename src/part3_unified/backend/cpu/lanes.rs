//! Sums of many numbers at once, in a form that a compiler gives to the lanes of
//! a processor: pieces of a known length, whose sums stay in registers.

use std::array::from_fn;
use std::hint::black_box;

use super::real::Number;

/// The lanes of the widest processors.
const WIDE: usize = 16;

/// Adds up what a function makes of rows of one length, number by number.
/// Many sums grow side by side, and are joined in pairs.
#[inline(always)]
pub(super) fn total<T: Number, const N: usize>(
    of: [&[T]; N],
    number: impl Fn([T; N]) -> T,
) -> T {
    let n = of[0].len();
    let mut sums = [T::zero(); WIDE];
    for piece in 0..n / WIDE {
        let piece = of.map(|it| &it[piece * WIDE..][..WIDE]);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + number(piece.map(|it| it[i]));
        }
    }
    if !n.is_multiple_of(WIDE) {
        // Sums of which some were asked for by a number would lie in memory.
        let rest = of.map(|it| &it[n / WIDE * WIDE..]);
        let mut last = [T::zero(); WIDE];
        for (i, last) in last[..n % WIDE].iter_mut().enumerate() {
            *last = number(rest.map(|it| it[i]));
        }
        sums = from_fn(|i| sums[i] + last[i]);
    }
    // A compiler that saw how the sums end would take two lanes at a time.
    let all = black_box(sums);
    let all: [T; 8] = from_fn(|i| all[i] + all[i + 8]);
    let all: [T; 4] = from_fn(|i| all[i] + all[i + 4]);
    (all[0] + all[2]) + (all[1] + all[3])
}
