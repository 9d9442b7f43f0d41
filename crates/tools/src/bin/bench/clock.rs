//! Our side of the measurement: what one run takes, again and again.
//!
//! Runs are done before the clock starts, and then so many between two looks
//! at the clock that its grain and the wait for the device do not matter.

use std::time::Instant;

use rungrad::ledger::{self, Counts};
use rungrad::part3_unified::Device;
use rungrad::{Error, attempt};

/// One run of a row. An operation panics if its device fails, so a run is
/// called inside `attempt`.
pub(crate) type Run = Box<dyn FnMut()>;

/// How long one look at the clock lets the work run, in seconds. To start a
/// device and to wait for it takes some 30 us, which a peer on a card, timed by
/// the card's own clock, has not in its time; the clock takes much less.
const DEVICE_GRAIN: f64 = 50e-3;
const HOST_GRAIN: f64 = 200e-6;
/// The most runs between two looks.
const MOST_RUNS: f64 = 10_000.0;

/// The work of one engine, ready to be timed in rounds.
pub(crate) struct Timed {
    run: Run,
    device: Device,
    /// The runs between two looks at the clock. With none the first run has
    /// taken so long that it is all there will be.
    runs: usize,
    /// What one warm run costs.
    pub(crate) counts: Counts,
    /// Seconds of one run, one value for each look at the clock.
    pub(crate) times: Vec<f64>,
}

impl Timed {
    /// Warms up, and finds out how many runs make a look at the clock worth
    /// it. A run that takes longer than `limit` seconds is the only one.
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
        // The first run has compiled, and the second finds the pool filled.
        timed.seconds(1)?;
        timed.counts = attempt(|| ledger::measure(&mut timed.run).1)?;
        let grain = match device {
            Device::Cpu => HOST_GRAIN,
            _ => DEVICE_GRAIN,
        };
        let worth = |once: f64| (grain / once).ceil().clamp(1.0, MOST_RUNS);
        // In the time of one short run alone the wait is the most.
        let some = (worth(timed.seconds(1)?) as usize).div_ceil(4);
        timed.runs = worth(timed.seconds(some)?) as usize;
        Ok(timed)
    }

    /// Times for so many seconds, and at least once.
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

    /// Times what one of so many runs takes, with all that the device does for
    /// it.
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
        let seen = runs.clone();
        let run = move || {
            seen.set(seen.get() + 1);
            sleep(pause);
        };
        (Box::new(run), runs)
    }

    #[test]
    fn warm_runs_do_not_count_and_short_ones_are_many_for_a_look() {
        let (run, runs) = counted(Duration::ZERO);
        let mut timed = Timed::new(run, Device::Cpu, 1.0).unwrap();
        assert!(timed.times.is_empty() && timed.runs > 1);
        let warm = runs.get();
        timed.round(0.0).unwrap();
        assert_eq!((timed.times.len(), runs.get()), (1, warm + timed.runs));
    }

    #[test]
    fn a_run_beyond_the_limit_is_the_only_one() {
        let (run, runs) = counted(Duration::from_millis(20));
        let mut timed = Timed::new(run, Device::Cpu, 0.01).unwrap();
        timed.round(1.0).unwrap();
        assert_eq!((timed.times.len(), runs.get()), (1, 1));
        assert!(timed.times[0] >= 0.02);
    }

    #[test]
    fn a_refusal_of_the_device_is_an_error() {
        let refuse = || {
            _ = rungrad::part3_unified::Tensor::rand(&[2], 1, Device::Cpu)
                .map(|x| x.reshape(&[3]))
        };
        assert!(Timed::new(Box::new(refuse), Device::Cpu, 1.0).is_err());
    }
}
