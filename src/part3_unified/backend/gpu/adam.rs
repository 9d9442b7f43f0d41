//! A step of Adam: one launch for up to sixteen parameters.

use std::sync::Arc;

use super::super::super::kernels;
use super::super::{AdamStep, DType, adam_step};
use super::numbers::{Numbers, number_of};
use super::pooled::Pooled;
use super::{Array, Backend, OpenCl, Shared};
use crate::error::Result;

/// A parameter with more numbers has a launch of its own, of which the time is
/// that of its bytes: all items of a launch are counted in 31 bits.
const LARGE: usize = 1 << 24;

impl OpenCl {
    /// Computes of each parameter the next one, its mean and its mean square
    /// from those and a gradient, which stands second.
    pub(super) fn adam(
        &self,
        step: &AdamStep,
        of: &[[&Array; 4]],
    ) -> Result<Vec<[Shared; 3]>> {
        let is_half = |[x, ..]: &[&Array; 4]| x.dtype() == DType::F16;
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

    /// Does so for as many as one of the kernels takes.
    fn adam_at_once(
        &self,
        step: &AdamStep,
        of: &[[&Array; 4]],
    ) -> Result<Vec<[Shared; 3]>> {
        let from_the_start = |a: &&Array| match (a.is_dense(), a.offset()) {
            (true, 0) => Ok((*a).clone()),
            _ => Ok(a.dense_like(self.copy(a)?)),
        };
        let given = of.iter().flatten().map(from_the_start);
        let given: Vec<Array> = given.collect::<Result<_>>()?;
        let given = given.chunks_exact(4);
        let out = |of: &[Array]| self.take(of[0].dtype(), of[0].len());
        let three = |of| Ok([out(of)?, out(of)?, out(of)?]);
        let outs = given.clone().map(three);
        let outs: Vec<[Pooled; 3]> = outs.collect::<Result<_>>()?;

        let counts = of.iter().map(|of| of[0].len());
        let (all, dtype) = (counts.clone().sum(), of[0][0].dtype());
        if all > 0 {
            let kernel = &kernels::ADAM[of.len().ilog2() as usize];
            let mut launch = self.each(kernel, dtype, all);
            let AdamStep { keep, take, whole, epsilon, rate, stay } = *step;
            let pairs = [keep[0], take[0], keep[1], take[1]];
            for number in pairs.into_iter().chain([whole, epsilon, rate, stay])
            {
                launch = launch.scalar(number_of(dtype, number));
            }
            for (given, outs) in given.zip(&outs) {
                launch = given.iter().fold(launch, Numbers::reads);
                launch = outs.iter().fold(launch, Numbers::writes);
            }
            for count in counts {
                launch = launch.scalar(count as u32);
            }
            launch.run()?;
        }
        let shared =
            |outs: [Pooled; 3]| outs.map(|out| Arc::new(out) as Shared);
        Ok(outs.into_iter().map(shared).collect())
    }
}

/// Says of how many, from the first on, a kernel takes the step.
fn at_once(sizes: impl Iterator<Item = usize>) -> usize {
    let small = sizes.take(AdamStep::AT_ONCE).take_while(|&n| n <= LARGE);
    1 << small.count().max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_parameter_has_a_launch_of_its_own() {
        let at_once = |sizes: &[usize]| at_once(sizes.iter().copied());
        assert_eq!(at_once(&[LARGE; 40]), 16);
        assert_eq!(at_once(&[0; 15]), 8);
        assert_eq!(at_once(&[1, 1, LARGE, LARGE + 1]), 2);
        assert_eq!(at_once(&[LARGE + 1, 1, 1]), 1);
        const { assert!(AdamStep::AT_ONCE * LARGE < 1 << 31) };
    }
}
