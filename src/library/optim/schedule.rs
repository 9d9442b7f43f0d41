//! Learning rate schedules: a warm-up to a peak, then a decay.

use std::f64::consts::PI;

use crate::checks;
use crate::error::{mistake, or_raise};

/// A learning rate schedule. The rate rises linearly during the warm-up,
/// because the running means of an optimizer are unreliable in the first
/// steps. Then it decays from the peak to the floor.
///
/// ```
/// use rungrad::optim::Schedule;
///
/// let rates = Schedule::cosine(0.5, 12).warm_up(4);
/// let rates: Vec<f32> = (0..=12).map(|step| rates.rate(step)).collect();
/// assert_eq!(rates[..5], [0.1, 0.2, 0.3, 0.4, 0.5]);
/// assert!((rates[8] - 0.25).abs() < 1e-6);
/// assert_eq!(rates[12], 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "lr_scheduler")]
pub struct Schedule {
    /// The largest rate.
    pub peak: f32,
    /// The rate at the end of the schedule and after it.
    pub floor: f32,
    /// The number of warm-up steps.
    #[doc(alias = "warmup")]
    pub warm_up: usize,
    /// The total number of steps, including the warm-up.
    pub steps: usize,
    /// The shape of the decay from the peak to the floor.
    pub way: Way,
}

/// The shape of the decay from the peak to the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// No decay: the rate stays at the peak.
    Constant,
    /// A linear decay.
    Linear,
    /// Half a cosine: slow at both ends.
    Cosine,
}

impl Schedule {
    /// Creates a schedule with a constant rate.
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite.
    #[track_caller]
    pub fn constant(rate: f32) -> Schedule {
        Schedule::new(rate, usize::MAX, Way::Constant)
    }

    /// Creates a schedule that decays linearly to 0.
    ///
    /// # Panics
    ///
    /// If the peak is negative or not finite.
    #[track_caller]
    pub fn linear(peak: f32, steps: usize) -> Schedule {
        Schedule::new(peak, steps, Way::Linear)
    }

    /// Creates a schedule that decays to 0 as half a cosine.
    ///
    /// # Panics
    ///
    /// If the peak is negative or not finite.
    #[doc(alias = "CosineAnnealingLR")]
    #[track_caller]
    pub fn cosine(peak: f32, steps: usize) -> Schedule {
        Schedule::new(peak, steps, Way::Cosine)
    }

    #[track_caller]
    fn new(peak: f32, steps: usize, way: Way) -> Schedule {
        or_raise(checks::not_negative("Schedule", "peak", peak));
        Schedule { peak, floor: 0.0, warm_up: 0, steps, way }
    }

    /// Sets the number of warm-up steps.
    ///
    /// # Panics
    ///
    /// If the warm-up does not end before the schedule, so that the peak is
    /// never reached.
    #[track_caller]
    pub fn warm_up(self, warm_up: usize) -> Schedule {
        if warm_up > 0 && warm_up >= self.steps {
            mistake(format!(
                "warm_up: a schedule of {} steps has no peak after a warm-up of \
                 {warm_up}; give fewer than {}",
                self.steps, self.steps
            ));
        }
        Schedule { warm_up, ..self }
    }

    /// Sets the rate at the end of the schedule.
    ///
    /// # Panics
    ///
    /// If the floor is negative or not finite.
    #[track_caller]
    pub fn floor(self, floor: f32) -> Schedule {
        or_raise(checks::not_negative("Schedule", "floor", floor));
        Schedule { floor, ..self }
    }

    // ANCHOR: rate
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
    // ANCHOR_END: rate
}
