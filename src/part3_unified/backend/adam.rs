//! One step of Adam as a primitive: a parameter, its gradient and its two
//! running means go in; the updated parameter and means come out.

use super::super::number::Real;

/// The coefficients of one step of Adam, the same for all elements of a
/// parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamStep {
    /// Beta 1 and beta 2, the factors of the running mean and of the running
    /// mean square.
    pub betas: [f64; 2],
    /// The factors of the gradient and of its square: 1 minus each beta.
    pub one_minus_betas: [f64; 2],
    /// Divisor of the root of the mean square. It corrects the bias of the
    /// mean square, which starts at 0.
    pub bias_correction: f64,
    /// Added to the root, so that the divisor is never 0.
    pub epsilon: f64,
    /// Factor of the quotient: the negative learning rate, corrected for the
    /// bias of the mean.
    pub rate: f64,
    /// Factor of the parameter for weight decay, or 1.
    pub decay_factor: f64,
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
        let [beta1, beta2] = pair(self.betas);
        let [rest1, rest2] = pair(self.one_minus_betas);
        let mean = mean * beta1 + grad * rest1;
        let square = square * beta2 + grad * grad * rest2;
        let root = square.sqrt() / T::nearest(self.bias_correction);
        let direction = mean / (root + T::nearest(self.epsilon));
        let [decay_factor, rate] = pair([self.decay_factor, self.rate]);
        [x * decay_factor + direction * rate, mean, square]
    }
}
// ANCHOR_END: step
