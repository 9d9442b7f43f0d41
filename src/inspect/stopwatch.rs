//! Measures time on the host and on a device, built in "Time it honestly".
//!
//! A single run is not reliable: the first one compiles kernels, clocks have
//! limited resolution, and other programs interrupt. So the work runs once
//! before the measurement and then repeatedly for 100 ms. The result is the
//! median, which a few interrupted runs do not change.
//!
//! Reading order: [`median`], [`host`], [`device`], [`launches`], [`Seconds`],
//! and [`machine`], because a time is meaningless without the machine.

use std::fmt;
use std::time::{Duration, Instant};
use std::{env, fs};

use crate::Error;
#[cfg(feature = "opencl")]
use crate::opencl::{Event, Gpu};

/// How long a measurement repeats the work.
const MIN_MEASURING_TIME: Duration = Duration::from_millis(100);
/// The minimum number of runs, for work that takes longer.
const MIN_RUNS: usize = 7;

/// Returns the median (the upper one of an even number of values), or NaN if
/// `values` is empty.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

// ANCHOR: host-clock
/// Measures the seconds that `work` takes on the host's clock: the median of
/// many runs after a warm-up run.
///
/// Work on a device must end by waiting for the device. Otherwise the clock
/// stops when the work has been submitted, not when it is done.
pub fn host<T>(
    mut work: impl FnMut() -> Result<T, Error>,
) -> Result<f64, Error> {
    median_of_runs(|| {
        let start = Instant::now();
        let value = work()?;
        let time = start.elapsed();
        // Drop the value after the clock has stopped.
        drop(std::hint::black_box(value));
        Ok(time.as_secs_f64())
    })
}
// ANCHOR_END: host-clock

#[cfg(feature = "opencl")]
// ANCHOR: device-clock
/// Measures the seconds that a launch takes on the device's clock, from start
/// to end: the median of many runs after a warm-up run.
pub fn device(
    mut launch: impl FnMut() -> Result<Event, Error>,
) -> Result<f64, Error> {
    median_of_runs(|| {
        let times = launch()?.times()?;
        Ok(times.ran() as f64 * 1e-9)
    })
}
// ANCHOR_END: device-clock

/// Measures the seconds that several launches take on the device's clock, from
/// the start of the first to the end of the last.
#[cfg(feature = "opencl")]
pub fn launches(
    mut run: impl FnMut() -> Result<Vec<Event>, Error>,
) -> Result<f64, Error> {
    median_of_runs(|| {
        let times = run()?;
        let times = times.iter().map(Event::times);
        let times = times.collect::<Result<Vec<_>, Error>>()?;
        let started = times.iter().map(|it| it.started).min().unwrap_or(0);
        let ended = times.iter().map(|it| it.ended).max().unwrap_or(0);
        Ok((ended - started) as f64 * 1e-9)
    })
}

// ANCHOR: many
fn median_of_runs(
    mut run: impl FnMut() -> Result<f64, Error>,
) -> Result<f64, Error> {
    run()?;
    let mut times = vec![];
    let start = Instant::now();
    while start.elapsed() < MIN_MEASURING_TIME || times.len() < MIN_RUNS {
        times.push(run()?);
    }
    Ok(median(times))
}
// ANCHOR_END: many

/// A duration that is displayed with a suitable unit: `12.5 µs`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (factor, unit) = match self.0 {
            s if s < 1e-3 => (1e6, "µs"),
            s if s < 1.0 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        f.pad(&format!("{:.1} {unit}", factor * self.0))
    }
}

/// Describes the machine: the device with its driver, and the host's CPU with
/// its number of threads.
#[cfg(feature = "opencl")]
pub fn machine(gpu: &Gpu) -> String {
    let device = gpu.info();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let slow = match cfg!(debug_assertions) {
        true => ", without --release",
        false => "",
    };
    format!(
        "device  {}, driver {}\nhost    {}, {threads} threads{slow}\n",
        device.name,
        device.driver,
        processor()
    )
}

/// Returns the name of the CPU, or its architecture where the name is unknown.
pub fn processor() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo.lines().find_map(|line| {
        line.strip_prefix("model name")?.trim_start().strip_prefix(": ")
    });
    name.unwrap_or(env::consts::ARCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_change_the_median() {
        assert_eq!(median(vec![3.0, 1.0, 900.0, 2.0, 800.0]), 3.0);
        assert_eq!(median(vec![5.0]), 5.0);
        assert!(median(vec![]).is_nan());
    }

    #[cfg(feature = "opencl")]
    #[test]
    fn no_launches_take_no_time() {
        assert_eq!(launches(|| Ok(vec![])).unwrap(), 0.0);
    }

    #[test]
    fn the_first_run_is_not_measured() {
        let mut runs = 0;
        let time = median_of_runs(|| {
            runs += 1;
            Ok(if runs == 1 { 1000.0 } else { 2.0 })
        });
        assert_eq!(time, Ok(2.0));
        assert!(runs > MIN_RUNS);
    }

    #[test]
    fn an_error_ends_the_measurement() {
        let refused = Error::Device("no".into());
        let mut runs = 0;
        let result = host(|| {
            runs += 1;
            if runs == 3 { Err(refused.clone()) } else { Ok(()) }
        });
        assert_eq!((result, runs), (Err(refused.clone()), 3));
    }

    #[test]
    fn times_are_printed_with_units() {
        for (seconds, words) in [
            (0.0, "0.0 µs"),
            (1.25e-5, "12.5 µs"),
            (0.001, "1.0 ms"),
            (0.0034, "3.4 ms"),
            (0.9, "900.0 ms"),
            (1.0, "1.0 s"),
            (2.0, "2.0 s"),
        ] {
            assert_eq!(Seconds(seconds).to_string(), words);
        }
        assert_eq!(format!("{:>8}", Seconds(2.0)), "   2.0 s");
    }
}
