//! One step of Adam, in a single pass over the elements of a parameter. The
//! formula is [`AdamStep::apply`]; composed from elementwise operations, it
//! would take fourteen passes.

use pulp::{Arch, Simd, WithSimd};

use super::host::{Host, blank};
use super::parallel::items_per_chunk;
use super::types::{CpuFloat, HostElement};
use super::{Array, Shared, compact, dense};
use crate::engine::threads::{parallel_for, threads_for};
use crate::error::Result;
use crate::part3_unified::AdamStep;

/// Cost per element, in reads.
const COST: usize = 2;

/// Returns the next parameter, mean and mean square; see
/// [`AdamStep::apply`].
pub(super) fn step<T: CpuFloat + HostElement>(
    step: &AdamStep,
    [x, grad, mean, square]: [&Array; 4],
) -> Result<[Shared; 3]> {
    let arrays =
        [compact(x)?, compact(grad)?, compact(mean)?, compact(square)?];
    let operands = arrays.each_ref().map(|a| dense::<T>(a));
    let n = operands[0].len();
    let mut results = [blank(n)?, blank(n)?, blank(n)?];
    let threads = threads_for(COST * n);
    let chunk = items_per_chunk(n, threads);
    let [x, mean, square] = &mut results;
    let outs = x.chunks_mut(chunk).zip(mean.chunks_mut(chunk));
    let outs = outs.zip(square.chunks_mut(chunk)).enumerate();
    let work = |(i, ((x, mean), square)): (usize, ((&mut [T], _), _))| {
        let from = i * chunk;
        let operands = operands.map(|all| &all[from..from + x.len()]);
        let outs = [x, mean, square];
        Arch::new().dispatch(Chunk { step, operands, outs });
    };
    parallel_for(threads, outs, work);
    Ok(results.map(Host::shared))
}

struct Chunk<'a, T> {
    step: &'a AdamStep,
    operands: [&'a [T]; 4],
    outs: [&'a mut [T]; 3],
}

impl<T: CpuFloat> WithSimd for Chunk<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let [x, grad, mean, square] = self.operands;
        let [next_x, next_mean, next_square] = self.outs;
        let operands = x.iter().zip(grad).zip(mean.iter().zip(square));
        let outs = next_x.iter_mut().zip(next_mean).zip(next_square);
        for (((out, to_mean), to_square), ((x, grad), (mean, square))) in
            outs.zip(operands)
        {
            [*out, *to_mean, *to_square] =
                self.step.apply([*x, *grad, *mean, *square]);
        }
    }
}
