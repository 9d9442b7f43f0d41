//! How far each step goes: up to a peak, and down again.

use std::f64::consts::PI;

/// Rates for a number of steps: they rise in a straight line, so that the first
/// steps, whose means know little, do no harm; and then they go another way.
///
/// ```
/// use rungrad::part3_unified::optim::Schedule;
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
    /// The rate at the end, and behind it.
    pub floor: f32,
    /// So many steps lead up to the peak.
    #[doc(alias = "warmup")]
    pub warm_up: usize,
    /// After so many steps, these included, the floor is reached.
    pub steps: usize,
    /// The way from the peak to the floor.
    pub way: Way,
}

/// How rates go from the peak to the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// They stay at the peak.
    Constant,
    /// By as much at each step.
    Linear,
    /// As half a cosine: slowly at both ends.
    Cosine,
}

impl Schedule {
    /// Stays at one rate.
    pub fn constant(rate: f32) -> Schedule {
        Schedule::new(rate, usize::MAX, Way::Constant)
    }

    /// Goes down to 0 in a straight line.
    pub fn linear(peak: f32, steps: usize) -> Schedule {
        Schedule::new(peak, steps, Way::Linear)
    }

    /// Goes down to 0 as half a cosine.
    #[doc(alias = "CosineAnnealingLR")]
    pub fn cosine(peak: f32, steps: usize) -> Schedule {
        Schedule::new(peak, steps, Way::Cosine)
    }

    fn new(peak: f32, steps: usize, way: Way) -> Schedule {
        Schedule { peak, floor: 0.0, warm_up: 0, steps, way }
    }

    /// Sets how many of the steps lead up to the peak.
    pub fn warm_up(self, warm_up: usize) -> Schedule {
        Schedule { warm_up, ..self }
    }

    /// Sets where the way down ends.
    pub fn floor(self, floor: f32) -> Schedule {
        Schedule { floor, ..self }
    }

    // ANCHOR: rate
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
    // ANCHOR_END: rate
}
