//! How long a step takes when it runs again and again.

use std::time::Instant;

use rungrad::part3_unified::Device;
use rungrad::{Error, attempt};

/// A step, ready to be taken again and again.
pub(crate) type Step = Box<dyn FnMut()>;

/// One look at the clock lets a device work for so long, in seconds: the wait
/// at the end takes some microseconds.
const GRAIN: f64 = 2e-3;

// ANCHOR: seconds
/// Measures the seconds of one step in a long run of them, with one wait at
/// the end of the run: the least of several runs, since other programs add to
/// a time and never take from it.
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
    // The first one compiles, and the second says how many make a run.
    look(1)?;
    let steps = (GRAIN / look(1)?).clamp(1.0, 1000.0) as usize;
    let (start, mut least) = (Instant::now(), f64::INFINITY);
    while least.is_infinite() || start.elapsed().as_secs_f64() < patience {
        least = look(steps)?.min(least);
    }
    Ok(least)
}
// ANCHOR_END: seconds
