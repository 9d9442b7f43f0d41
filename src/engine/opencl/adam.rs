//! One step of Adam, in one launch for up to 32 parameters.
//!
//! A launch writes the running means of all its parameters to one storage, one
//! after another, and the mean squares to another. The next step reads them
//! from there, so 32 parameters need 100 buffers per launch instead of 224.
//! The driver's time for a launch grows with its buffers; see
//! docs/benchmarks.md.

use std::sync::Arc;

use super::buffers::{PooledStorage, scalar_of};
use super::{Array, ArrayArgs, Backend, OpenCl, Shared};
use crate::engine::kernels;
use crate::error::Result;
use crate::part3_unified::defaults;
use crate::part3_unified::{AdamStep, DType};

/// Maximum number of elements of the parameters that share a launch. A larger
/// parameter gets a launch alone, whose overhead does not matter.
const MAX_GROUPED_ELEMENTS: usize = 1 << 24;

/// A parameter, its gradient, its mean and its mean square.
type Parameter<'a> = [&'a Array; 4];

impl OpenCl {
    /// Computes [`Backend::adam_step`].
    pub(super) fn adam(
        &self,
        step: &AdamStep,
        parameters: &[Parameter],
    ) -> Result<Vec<[Array; 3]>> {
        let is_half = |[x, ..]: &Parameter| x.dtype() == DType::F16;
        if parameters.first().is_some_and(is_half) {
            // An `f16` result is rounded after every operation, as on other
            // devices.
            let update =
                |arrays: &Parameter| defaults::adam_step(step, *arrays);
            return parameters.iter().map(update).collect();
        }
        let mut results = Vec::with_capacity(parameters.len());
        let mut left = parameters;
        while !left.is_empty() {
            let sizes = left.iter().map(|arrays| arrays[0].len());
            let (now, later) = left.split_at(launch_count(sizes));
            results.extend(self.adam_group(step, now)?);
            left = later;
        }
        Ok(results)
    }

    /// Updates a group of parameters that one kernel can take: in one launch
    /// if the previous step has written their means next to each other,
    /// otherwise in one launch each.
    fn adam_group(
        &self,
        step: &AdamStep,
        group: &[Parameter],
    ) -> Result<Vec<[Array; 3]>> {
        let first = group[0][0];
        let all = group.iter().map(|arrays| arrays[0].len()).sum();
        let take = || self.allocate(first.dtype(), all);
        let moments = [take()?, take()?];
        let mut next = Vec::with_capacity(group.len());
        let per_launch = if are_adjacent(group) { group.len() } else { 1 };
        let mut offset = 0;
        for arrays in group.chunks(per_launch) {
            next.extend(self.adam_launch(step, arrays, &moments, offset)?);
            offset +=
                arrays.iter().map(|arrays| arrays[0].len()).sum::<usize>();
        }
        let shared = |storage: PooledStorage| Arc::new(storage) as Shared;
        let device = first.device();
        let moments =
            moments.map(|moment| Array::dense(device, shared(moment), &[all]));
        let mut offset = 0;
        let each = |([x, ..], next): (&Parameter, PooledStorage)| {
            let range = offset..offset + x.len();
            offset = range.end;
            let part =
                |all: &Array| all.slice(range.clone())?.reshape(x.shape());
            let [mean, square] = &moments;
            Ok([x.dense_like(shared(next)), part(mean)?, part(square)?])
        };
        group.iter().zip(next).map(each).collect()
    }

    /// Launches the kernel for parameters whose means are adjacent. Writes the
    /// next means to `to_mean` and `to_square` at `offset`, and returns the
    /// next parameters.
    fn adam_launch(
        &self,
        step: &AdamStep,
        group: &[Parameter],
        [to_mean, to_square]: &[PooledStorage; 2],
        offset: usize,
    ) -> Result<Vec<PooledStorage>> {
        let whole_storage = |a: &Array| match (a.is_dense(), a.offset()) {
            (true, 0) => Ok(a.clone()),
            _ => Ok(a.dense_like(self.copy(a)?)),
        };
        let pair = |[x, grad, ..]: &Parameter| {
            Ok([whole_storage(x)?, whole_storage(grad)?])
        };
        let pairs: Vec<[Array; 2]> =
            group.iter().map(pair).collect::<Result<_>>()?;
        let dtype = group[0][0].dtype();
        let counts = group.iter().map(|arrays| arrays[0].len());
        let outs = counts.clone().map(|n| self.allocate(dtype, n));
        let outs: Vec<PooledStorage> = outs.collect::<Result<_>>()?;
        let all = counts.clone().sum();
        if all == 0 {
            return Ok(outs);
        }
        let is_not_empty = |arrays: &&Parameter| !arrays[0].is_empty();
        let first = group.iter().find(is_not_empty).unwrap_or(&group[0]);
        let (mean, square) = (first[2].compact()?, first[3].compact()?);
        let kernel = &kernels::ADAM[group.len().ilog2() as usize];
        let mut launch = self.launch_per_element(kernel, dtype, all);
        let ([beta1, beta2], [rest1, rest2]) =
            (step.betas, step.one_minus_betas);
        let factors = [beta1, rest1, beta2, rest2];
        let AdamStep { bias_correction, epsilon, rate, decay_factor, .. } =
            *step;
        let others = [bias_correction, epsilon, rate, decay_factor];
        for factor in factors.into_iter().chain(others) {
            launch = launch.scalar(scalar_of(dtype, factor));
        }
        for moment in [&mean, &square] {
            launch = launch.reads(moment).scalar(moment.offset() as u32);
        }
        launch = launch.writes(to_mean).writes(to_square).scalar(offset as u32);
        for ([x, grad], out) in pairs.iter().zip(&outs) {
            launch = launch.reads(x).reads(grad).writes(out);
        }
        for count in counts {
            launch = launch.scalar(count as u32);
        }
        launch.run()?;
        Ok(outs)
    }
}

/// Returns whether the means are adjacent in one storage, in this order, and
/// the mean squares too.
fn are_adjacent(group: &[Parameter]) -> bool {
    [2, 3].into_iter().all(|which| {
        let moments = group.iter().map(|arrays| arrays[which]);
        let mut moments = moments.filter(|moment| !moment.is_empty());
        let Some(first) = moments.next() else { return true };
        let mut end = first.offset() + first.len();
        first.is_dense()
            && moments.all(|moment| {
                let follows =
                    moment.shares_storage(first) && moment.offset() == end;
                end += moment.len();
                follows && moment.is_dense()
            })
    })
}

/// Returns how many of the next parameters share a launch: a power of two.
fn launch_count(sizes: impl Iterator<Item = usize>) -> usize {
    let mut all = 0_usize;
    let small = sizes.take(AdamStep::AT_ONCE).take_while(|&n| {
        all = all.saturating_add(n);
        all <= MAX_GROUPED_ELEMENTS
    });
    1 << small.count().max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_parameter_has_a_separate_launch() {
        const MAX: usize = MAX_GROUPED_ELEMENTS;
        let count = |sizes: &[usize]| launch_count(sizes.iter().copied());
        assert_eq!(count(&[MAX / 32; 40]), 32);
        assert_eq!(count(&[MAX / 31; 40]), 16);
        assert_eq!(count(&[MAX; 40]), 1);
        assert_eq!(count(&[0; 15]), 8);
        assert_eq!(count(&[1, 1, MAX, MAX + 1]), 2);
        assert_eq!(count(&[MAX + 1, 1, 1]), 1);
        const { assert!(AdamStep::AT_ONCE == 32) };
    }
}
