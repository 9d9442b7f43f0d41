/// Returns the rate of a step, counted from 0: give it to
/// [`Optimizer::set_learning_rate`] before the step.
///
/// [`Optimizer::set_learning_rate`]: super::Optimizer::set_learning_rate
pub fn rate(&self, step: usize) -> f32 {
    let [peak, floor] = [self.peak, self.floor].map(f64::from);
    let part = |n: usize, of: usize| n as f64 / of as f64;
    if step < self.warm_up {
        return (peak * part(step + 1, self.warm_up + 1)) as f32;
    }
    let left = match self.steps.saturating_sub(step) {
        0 => 0.0,
        left => part(left, self.steps - self.warm_up),
    };
    let share = match self.way {
        Way::Constant => 1.0,
        Way::Linear => left,
        Way::Cosine => 0.5 - 0.5 * (PI * left).cos(),
    };
    (floor + (peak - floor) * share) as f32
}
