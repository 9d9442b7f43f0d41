//! A step of Adam: one look at each element of a parameter.

use pulp::{Arch, Simd, WithSimd};

use super::super::AdamStep;
use super::host::{Host, blank};
use super::real::{Kept, Number};
use super::walk::{PIECE, is_shared};
use super::{Array, Shared, compact, dense};
use crate::base::share::share;
use crate::error::Result;

pub(super) fn step<T: Number + Kept>(
    step: &AdamStep,
    [x, grad, mean, square]: [&Array; 4],
) -> Result<[Shared; 3]> {
    let of = [compact(x)?, compact(grad)?, compact(mean)?, compact(square)?];
    let of = of.each_ref().map(|a| dense::<T>(a));
    let n = of[0].len();
    let mut made = [blank(n)?, blank(n)?, blank(n)?];
    let piece = if is_shared(n) { PIECE } else { n.max(1) };
    let [x, mean, square] = &mut made;
    let outs = x.chunks_mut(piece).zip(mean.chunks_mut(piece));
    let outs = outs.zip(square.chunks_mut(piece)).enumerate();
    let work = |(i, ((x, mean), square)): (usize, ((&mut [T], _), _))| {
        let from = i * piece;
        let of = of.map(|all| &all[from..from + x.len()]);
        Arch::new().dispatch(Piece { step, of, outs: [x, mean, square] });
    };
    match is_shared(n) {
        true => share(outs, work),
        false => outs.for_each(work),
    }
    Ok(made.map(Host::shared))
}

struct Piece<'a, T> {
    step: &'a AdamStep,
    of: [&'a [T]; 4],
    outs: [&'a mut [T]; 3],
}

impl<T: Number> WithSimd for Piece<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [x, grad, mean, square] = self.of;
        let [next_x, next_mean, next_square] = self.outs;
        let given = x.iter().zip(grad).zip(mean.iter().zip(square));
        let outs = next_x.iter_mut().zip(next_mean).zip(next_square);
        for (((out, to_mean), to_square), ((x, grad), (mean, square))) in
            outs.zip(given)
        {
            [*out, *to_mean, *to_square] =
                self.step.apply([*x, *grad, *mean, *square]);
        }
    }
}
