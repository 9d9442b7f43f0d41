/// Returns the rate for a step, counted from 0. Pass it to
/// [`Optimizer::set_learning_rate`] before the step.
///
/// [`Optimizer::set_learning_rate`]: super::Optimizer::set_learning_rate
pub fn rate(&self, step: usize) -> f32 {
    let [peak, floor] = [self.peak, self.floor].map(f64::from);
    let [step, warm_up, steps] =
        [step, self.warm_up, self.steps].map(|count| count as f64);
    if step < warm_up {
        return (peak * (step + 1.0) / (warm_up + 1.0)) as f32;
    }
    let left = match step < steps {
        true => (steps - step) / (steps - warm_up),
        false => 0.0,
    };
    let share = match self.way {
        Way::Constant => 1.0,
        Way::Linear => left,
        Way::Cosine => 0.5 - 0.5 * (PI * left).cos(),
    };
    (floor + (peak - floor) * share) as f32
}
