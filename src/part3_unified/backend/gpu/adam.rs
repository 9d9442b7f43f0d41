//! A step of Adam: one launch for up to 32 parameters.
//!
//! The means of those that a launch takes come to lie one behind another in one
//! storage, and so do their mean squares. The next step reads them so: 32
//! parameters are 100 buffers of a launch, and would be 224.

use std::sync::Arc;

use super::super::super::kernels;
use super::super::{AdamStep, DType, adam_step};
use super::numbers::{Numbers, number_of};
use super::pooled::Pooled;
use super::{Array, Backend, OpenCl, Shared};
use crate::error::Result;

/// A launch takes several parameters as long as they are not more numbers: a
/// larger one has a launch of its own, of which the time is that of its bytes.
const LARGE: usize = 1 << 24;

/// A parameter, its gradient, its mean and its mean square.
type Of<'a> = [&'a Array; 4];

impl OpenCl {
    /// Computes of each parameter the next one, its mean and its mean square
    /// from those and a gradient, which stands second.
    pub(super) fn adam(
        &self,
        step: &AdamStep,
        of: &[Of],
    ) -> Result<Vec<[Array; 3]>> {
        let is_half = |[x, ..]: &Of| x.dtype() == DType::F16;
        if of.first().is_some_and(is_half) {
            // Between any two operations a half is rounded, here as elsewhere.
            return of.iter().map(|of| adam_step(step, *of)).collect();
        }
        let mut made = Vec::with_capacity(of.len());
        let mut left = of;
        while !left.is_empty() {
            let sizes = left.iter().map(|of| of[0].len());
            let (now, later) = left.split_at(at_once(sizes));
            made.extend(self.adam_at_once(step, now)?);
            left = later;
        }
        Ok(made)
    }

    /// Does so for as many as one of the kernels takes: in one launch, if the
    /// step before has laid their means one behind another.
    fn adam_at_once(
        &self,
        step: &AdamStep,
        of: &[Of],
    ) -> Result<Vec<[Array; 3]>> {
        let (first, all) = (of[0][0], of.iter().map(|of| of[0].len()).sum());
        let take = || self.take(first.dtype(), all);
        let moments = [take()?, take()?];
        let mut next = Vec::with_capacity(of.len());
        let together = if in_a_row(of) { of.len() } else { 1 };
        let mut at = 0;
        for of in of.chunks(together) {
            next.extend(self.adam_launch(step, of, &moments, at)?);
            at += of.iter().map(|of| of[0].len()).sum::<usize>();
        }
        let shared = |made: Pooled| Arc::new(made) as Shared;
        let moments = moments
            .map(|made| Array::dense(first.device(), shared(made), &[all]));
        let mut at = 0;
        let each = |([x, ..], next): (&Of, Pooled)| {
            let here = at..at + x.len();
            at = here.end;
            let of = |all: &Array| all.slice(here.clone())?.reshape(x.shape());
            let [mean, square] = &moments;
            Ok([x.dense_like(shared(next)), of(mean)?, of(square)?])
        };
        of.iter().zip(next).map(each).collect()
    }

    /// Launches the kernel for so many, whose means lie one behind another and
    /// will again, from a place on.
    fn adam_launch(
        &self,
        step: &AdamStep,
        of: &[Of],
        [to_mean, to_square]: &[Pooled; 2],
        at: usize,
    ) -> Result<Vec<Pooled>> {
        let from_the_start = |a: &Array| match (a.is_dense(), a.offset()) {
            (true, 0) => Ok(a.clone()),
            _ => Ok(a.dense_like(self.copy(a)?)),
        };
        let pair = |[x, grad, ..]: &Of| {
            Ok([from_the_start(x)?, from_the_start(grad)?])
        };
        let given: Vec<[Array; 2]> =
            of.iter().map(pair).collect::<Result<_>>()?;
        let (dtype, counts) =
            (of[0][0].dtype(), of.iter().map(|of| of[0].len()));
        let outs = counts.clone().map(|n| self.take(dtype, n));
        let outs: Vec<Pooled> = outs.collect::<Result<_>>()?;
        let all = counts.clone().sum();
        if all == 0 {
            return Ok(outs);
        }
        let first = of.iter().find(|of| !of[0].is_empty()).unwrap_or(&of[0]);
        let (mean, square) = (first[2].compact()?, first[3].compact()?);
        let kernel = &kernels::ADAM[of.len().ilog2() as usize];
        let mut launch = self.each(kernel, dtype, all);
        let AdamStep { keep, take, whole, epsilon, rate, stay } = *step;
        let pairs = [keep[0], take[0], keep[1], take[1]];
        for number in pairs.into_iter().chain([whole, epsilon, rate, stay]) {
            launch = launch.scalar(number_of(dtype, number));
        }
        for moment in [&mean, &square] {
            launch = launch.reads(moment).scalar(moment.offset() as u32);
        }
        launch = launch.writes(to_mean).writes(to_square).scalar(at as u32);
        for ([x, grad], out) in given.iter().zip(&outs) {
            launch = launch.reads(x).reads(grad).writes(out);
        }
        for count in counts {
            launch = launch.scalar(count as u32);
        }
        launch.run()?;
        Ok(outs)
    }
}

/// Says whether the means lie one behind another, and the mean squares too.
fn in_a_row(of: &[Of]) -> bool {
    [2, 3].into_iter().all(|which| {
        let mut arrays =
            of.iter().map(|of| of[which]).filter(|it| !it.is_empty());
        let Some(first) = arrays.next() else { return true };
        let mut end = first.offset() + first.len();
        first.is_dense()
            && arrays.all(|it| {
                let begins = it.shares_storage(first) && it.offset() == end;
                end += it.len();
                begins && it.is_dense()
            })
    })
}

/// Says of how many, from the first on, a kernel takes the step.
fn at_once(sizes: impl Iterator<Item = usize>) -> usize {
    let mut all = 0_usize;
    let small = sizes.take(AdamStep::AT_ONCE).take_while(|&n| {
        all = all.saturating_add(n);
        all <= LARGE
    });
    1 << small.count().max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_parameter_has_a_launch_of_its_own() {
        let at_once = |sizes: &[usize]| at_once(sizes.iter().copied());
        assert_eq!(at_once(&[LARGE / 32; 40]), 32);
        assert_eq!(at_once(&[LARGE / 31; 40]), 16);
        assert_eq!(at_once(&[LARGE; 40]), 1);
        assert_eq!(at_once(&[0; 15]), 8);
        assert_eq!(at_once(&[1, 1, LARGE, LARGE + 1]), 2);
        assert_eq!(at_once(&[LARGE + 1, 1, 1]), 1);
        const { assert!(AdamStep::AT_ONCE == 32) };
    }
}
