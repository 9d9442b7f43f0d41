//! Times our engine.
//!
//! It first does warm-up runs. Then it reads the clock only after a number of
//! runs, large enough that the clock's resolution and the wait for the device
//! do not matter.

use std::time::Instant;

use rungrad::ledger::{self, Counts};
use rungrad::part3_unified::Device;
use rungrad::{Error, attempt};

/// Runs the work of a row once. An operation panics if its device fails, so
/// this is called inside `attempt`.
pub(crate) type Run = Box<dyn FnMut()>;

/// The minimum time of one measurement, in seconds. Starting a device and
/// waiting for it takes about 30 us, which PyTorch's times on a card do not
/// contain, because PyTorch uses the card's own clock. On the processor, only
/// the resolution of the clock matters.
const MIN_DEVICE_TIME: f64 = 50e-3;
const MIN_HOST_TIME: f64 = 200e-6;
/// The maximum number of runs in one measurement.
const MAX_RUNS: f64 = 10_000.0;

/// The work of one engine, ready to be timed in rounds.
pub(crate) struct Timed {
    run: Run,
    device: Device,
    /// The number of runs in one measurement. It is 0 if the first run took so
    /// long that nothing else is timed.
    runs: usize,
    /// The costs of one warm run.
    pub(crate) counts: Counts,
    /// The seconds of one run, one value for each measurement.
    pub(crate) times: Vec<f64>,
}

impl Timed {
    /// Warms up and determines the number of runs in one measurement. If the
    /// first run takes longer than `limit` seconds, it is the only one.
    pub(crate) fn new(
        run: Run,
        device: Device,
        limit: f64,
    ) -> Result<Timed, Error> {
        let (counts, times) = (Counts::default(), vec![]);
        let mut timed = Timed { run, device, runs: 0, counts, times };
        let first = timed.seconds(1)?;
        if first > limit {
            timed.times.push(first);
            return Ok(timed);
        }
        // The first run compiles kernels, and the second reuses pooled
        // buffers.
        timed.seconds(1)?;
        timed.counts = attempt(|| ledger::measure(&mut timed.run).1)?;
        let grain = match device {
            Device::Cpu => MIN_HOST_TIME,
            _ => MIN_DEVICE_TIME,
        };
        let worth = |once: f64| (grain / once).ceil().clamp(1.0, MAX_RUNS);
        // In a single short run, the wait for the device dominates.
        let some = (worth(timed.seconds(1)?) as usize).div_ceil(4);
        timed.runs = worth(timed.seconds(some)?) as usize;
        Ok(timed)
    }

    /// Measures for `patience` seconds, and at least once.
    pub(crate) fn round(&mut self, patience: f64) -> Result<(), Error> {
        let start = Instant::now();
        while self.runs > 0 {
            let time = self.seconds(self.runs)?;
            self.times.push(time);
            if start.elapsed().as_secs_f64() >= patience {
                break;
            }
        }
        Ok(())
    }

    /// Returns the time of one of `runs` runs, including the work on the
    /// device.
    fn seconds(&mut self, runs: usize) -> Result<f64, Error> {
        self.device.synchronize()?;
        let start = Instant::now();
        attempt(|| (0..runs).for_each(|_| (self.run)()))?;
        self.device.synchronize()?;
        Ok(start.elapsed().as_secs_f64() / runs as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    fn counted(pause: Duration) -> (Run, Rc<Cell<usize>>) {
        let runs = Rc::new(Cell::new(0));
        let parse_times = runs.clone();
        let run = move || {
            parse_times.set(parse_times.get() + 1);
            sleep(pause);
        };
        (Box::new(run), runs)
    }

    #[test]
    fn warm_up_is_not_measured_and_short_runs_are_grouped() {
        let (run, runs) = counted(Duration::ZERO);
        let mut timed = Timed::new(run, Device::Cpu, 1.0).unwrap();
        assert!(timed.times.is_empty() && timed.runs > 1);
        let warm = runs.get();
        timed.round(0.0).unwrap();
        assert_eq!((timed.times.len(), runs.get()), (1, warm + timed.runs));
    }

    #[test]
    fn a_run_beyond_the_limit_is_not_repeated() {
        let (run, runs) = counted(Duration::from_millis(20));
        let mut timed = Timed::new(run, Device::Cpu, 0.01).unwrap();
        timed.round(1.0).unwrap();
        assert_eq!((timed.times.len(), runs.get()), (1, 1));
        assert!(timed.times[0] >= 0.02);
    }

    #[test]
    fn a_failure_of_the_device_is_an_error() {
        let refuse = || {
            _ = rungrad::part3_unified::Tensor::rand(&[2], 1, Device::Cpu)
                .map(|x| x.reshape(&[3]))
        };
        assert!(Timed::new(Box::new(refuse), Device::Cpu, 1.0).is_err());
    }
}
