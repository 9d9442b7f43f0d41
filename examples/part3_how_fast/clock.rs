//! Measures how long a step takes when it is repeated.

use std::time::Instant;

use rungrad::part3_unified::Device;
use rungrad::{Error, attempt};

/// A step that can be run repeatedly.
pub(crate) type Step = Box<dyn FnMut()>;

/// Minimum duration of a measurement, in seconds. The wait at the end takes
/// some microseconds, which must not matter.
const GRAIN: f64 = 2e-3;

/// Returns the seconds per step, measured over a long run of steps with one
/// wait at its end. It takes the minimum of several runs, because other
/// programs only ever add time.
pub(crate) fn seconds(
    step: &mut dyn FnMut(),
    device: Device,
    patience: f64,
) -> Result<f64, Error> {
    let mut look = |steps: usize| {
        device.synchronize()?;
        let start = Instant::now();
        attempt(|| (0..steps).for_each(|_| step()))?;
        device.synchronize()?;
        Ok::<f64, Error>(start.elapsed().as_secs_f64() / steps as f64)
    };
    // The first step compiles; the second determines the length of a run.
    look(1)?;
    let steps = (GRAIN / look(1)?).clamp(1.0, 1000.0) as usize;
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while least.is_infinite() || start.elapsed().as_secs_f64() < patience {
        least = look(steps)?.min(least);
    }
    Ok(least)
}
