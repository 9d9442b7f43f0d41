//! A step of Adam as a primitive: of each parameter three arrays of four.

use super::super::number::Real;
use super::{Array, Binary, Unary};
use crate::error::Result;

/// The numbers of a step of Adam. They are the same for every element of a
/// parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    /// How much is kept of the running mean, and of the running mean square.
    pub keep: [f64; 2],
    /// How much of a gradient, and of its square, is added to them.
    pub take: [f64; 2],
    /// What the root of the mean square is divided by: it began at 0.
    pub whole: f64,
    /// What is added to the root, so that nothing is divided by 0.
    pub epsilon: f64,
    /// What the quotient is multiplied by, below 0.
    pub rate: f64,
    /// What the parameter is multiplied by, 1 where it does not decay.
    pub stay: f64,
}

impl AdamStep {
    /// So many parameters a device takes in one launch, at most.
    pub const AT_ONCE: usize = 32;
}

// ANCHOR: step
impl AdamStep {
    /// Computes the next parameter, mean and mean square, from those and a
    /// gradient.
    #[inline(always)]
    pub fn apply<T: Real>(&self, [x, grad, mean, square]: [T; 4]) -> [T; 3] {
        let pair = |of: [f64; 2]| of.map(T::nearest);
        let ([keep, keep_square], [take, take_square]) =
            (pair(self.keep), pair(self.take));
        let mean = mean * keep + grad * take;
        let square = square * keep_square + grad * grad * take_square;
        let root = square.sqrt() / T::nearest(self.whole);
        let way = mean / (root + T::nearest(self.epsilon));
        let [stay, rate] = pair([self.stay, self.rate]);
        [x * stay + way * rate, mean, square]
    }
}
// ANCHOR_END: step

/// Computes [`super::Backend::adam_step`] by other operations.
pub(super) fn adam_step(
    step: &AdamStep,
    [x, grad, mean, square]: [&Array; 4],
) -> Result<[Array; 3]> {
    let times = |a: &Array, by| match by == 1.0 {
        true => Ok(a.clone()),
        false => a.unary(Unary::Scale(by)),
    };
    let sum = |a: &Array, by, b: &Array, other| {
        times(a, by)?.binary(Binary::Add, &times(b, other)?)
    };
    let squared = grad.binary(Binary::Mul, grad)?;
    let mean = sum(mean, step.keep[0], grad, step.take[0])?;
    let square = sum(square, step.keep[1], &squared, step.take[1])?;
    let root =
        square.unary(Unary::Sqrt)?.unary(Unary::DivScalar(step.whole))?;
    let way =
        mean.binary(Binary::Div, &root.unary(Unary::Shift(step.epsilon))?)?;
    Ok([sum(x, step.stay, &way, step.rate)?, mean, square])
}
