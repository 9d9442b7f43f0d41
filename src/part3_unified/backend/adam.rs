//! One step of Adam as a primitive: a parameter, its gradient and its two
//! running means go in; the updated parameter and means come out.

use super::super::number::Real;

/// The coefficients of one step of Adam, the same for all elements of a
/// parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    /// Factors of the running mean and of the running mean square (beta 1 and
    /// beta 2).
    pub keep: [f64; 2],
    /// Factors of the gradient and of its square (1 - beta 1 and 1 - beta 2).
    pub take: [f64; 2],
    /// Divisor of the root of the mean square. It corrects the bias of the
    /// mean square, which starts at 0.
    pub whole: f64,
    /// Added to the root, so that the divisor is never 0.
    pub epsilon: f64,
    /// Factor of the quotient: the negative learning rate, corrected for the
    /// bias of the mean.
    pub rate: f64,
    /// Factor of the parameter: below 1 for weight decay, otherwise 1.
    pub stay: f64,
}

impl AdamStep {
    /// Maximum number of parameters that a device updates in one launch.
    pub const AT_ONCE: usize = 32;
}

// ANCHOR: step
impl AdamStep {
    /// Returns the next parameter, mean and mean square of one element.
    #[inline(always)]
    pub fn apply<T: Real>(&self, [x, grad, mean, square]: [T; 4]) -> [T; 3] {
        let pair = |factors: [f64; 2]| factors.map(T::nearest);
        let ([keep, keep_square], [take, take_square]) =
            (pair(self.keep), pair(self.take));
        let mean = mean * keep + grad * take;
        let square = square * keep_square + grad * grad * take_square;
        let root = square.sqrt() / T::nearest(self.whole);
        let direction = mean / (root + T::nearest(self.epsilon));
        let [stay, rate] = pair([self.stay, self.rate]);
        [x * stay + direction * rate, mean, square]
    }
}
// ANCHOR_END: step
