//! Sums of many numbers at once, in a form that a compiler gives to the lanes of
//! a processor: pieces of a known length, whose sums stay in registers.

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
    let rest = of.map(|it| &it[n / WIDE * WIDE..]);
    for (i, sum) in sums[..n % WIDE].iter_mut().enumerate() {
        *sum = *sum + number(rest.map(|it| it[i]));
    }
    joined(sums, |x, y| x + y)
}

/// Finds the largest of some numbers.
#[inline(always)]
pub(super) fn most<T: Number>(of: &[T]) -> T {
    let larger = |most: T, x: T| if x > most { x } else { most };
    let mut all = [T::nearest(f64::NEG_INFINITY); WIDE];
    let (pieces, rest) = of.as_chunks::<WIDE>();
    for piece in pieces {
        for (most, x) in all.iter_mut().zip(piece) {
            *most = larger(*most, *x);
        }
    }
    for (most, x) in all.iter_mut().zip(rest) {
        *most = larger(*most, *x);
    }
    joined(all, larger)
}

/// Joins the numbers of all lanes, half with half.
#[inline(always)]
fn joined<T: Number>(mut all: [T; WIDE], join: impl Fn(T, T) -> T) -> T {
    let mut width = WIDE;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            all[i] = join(all[i], all[i + width]);
        }
    }
    all[0]
}
