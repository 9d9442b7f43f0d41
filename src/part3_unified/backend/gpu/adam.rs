//! A step of Adam: one launch for a parameter.

use std::sync::Arc;

use super::super::super::kernels;
use super::super::AdamStep;
use super::numbers::{Numbers, number_of};
use super::{Array, OpenCl, Shared};
use crate::error::Result;

impl OpenCl {
    /// Computes the next parameter, mean and mean square from those and a
    /// gradient, which stands second.
    pub(super) fn adam(
        &self,
        step: &AdamStep,
        [x, grad, mean, square]: [&Array; 4],
    ) -> Result<[Shared; 3]> {
        let (n, dtype) = (x.len(), x.dtype());
        let of =
            [x.compact()?, grad.compact()?, mean.compact()?, square.compact()?];
        let out = || self.take(dtype, n);
        let outs = [out()?, out()?, out()?];
        if n > 0 {
            let mut launch = self.each(&kernels::ADAM_STEP, dtype, n);
            for a in &of {
                launch = launch.reads(a).scalar(a.offset() as u32);
            }
            let AdamStep { keep, take, whole, epsilon, rate, stay } = *step;
            let pairs = [keep[0], take[0], keep[1], take[1]];
            for number in pairs.into_iter().chain([whole, epsilon, rate, stay])
            {
                launch = launch.scalar(number_of(dtype, number));
            }
            for out in &outs {
                launch = launch.writes(out);
            }
            launch.scalar(n as u32).run()?;
        }
        Ok(outs.map(|out| Arc::new(out) as Shared))
    }
}
