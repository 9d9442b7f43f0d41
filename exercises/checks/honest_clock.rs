//! Checks `honest_clock`, which times an asynchronous device.
//!
//! The device is a model, so its times are deterministic. Like a real one it
//! compiles at the first launch, its queue contains other work at first, and
//! some launches take unusually long.

use std::cell::Cell;
use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

exercises::yours!("part2_gpu/honest_clock.rs");

fn main() -> ExitCode {
    check(
        "honest_clock",
        YOURS,
        &[
            ("one run, from the call to the result", one),
            ("the median of 21 runs", many),
        ],
    )
}

const ORDER: f64 = 1.5;
const WORK: f64 = 40.0;
const ANSWER: f64 = 6.0;
const COMPILER: f64 = 90_000.0;

/// A device with a queue, and the host that waits for it.
pub struct Device {
    host: Cell<f64>,
    /// When the queue will be empty.
    idle: Cell<f64>,
    launches: Cell<usize>,
}

impl Device {
    fn new() -> Device {
        // The queue contains other work at first.
        Device {
            host: Cell::new(1000.0),
            idle: Cell::new(4000.0),
            launches: Cell::new(0),
        }
    }

    /// Returns the host's clock, in microseconds.
    pub fn now(&self) -> f64 {
        self.host.get()
    }

    /// Enqueues a launch and returns.
    pub fn launch(&self) {
        let launch = self.launches.get();
        self.launches.set(launch + 1);
        let compiler = if launch == 0 { COMPILER } else { 0.0 };
        self.host.set(self.host.get() + compiler + ORDER);
        let work = match launch {
            // Occasionally a cache is warm, or other work interferes.
            launch if launch % 7 == 3 => WORK / 2.0,
            launch if launch % 5 == 4 => 20.0 * WORK,
            _ => WORK,
        };
        let begin = self.host.get().max(self.idle.get());
        self.idle.set(begin + work);
    }

    /// Waits until the queue is empty.
    pub fn finish(&self) {
        let now = self.host.get().max(self.idle.get());
        self.host.set(now + ANSWER);
    }
}

/// A way to time a number of launches.
type Clock = fn(&Device, usize) -> f64;

/// Wrong ways to time, with an explanation of each.
const OTHERS: [(Clock, &str); 6] = [
    (
        |device, _| {
            device.launch();
            let start = device.now();
            device.launch();
            device.now() - start
        },
        "That is how long it takes to enqueue a command. The device has hardly \
         begun: wait for it with finish.",
    ),
    (
        |device, runs| median(runs, || once(device)),
        "The first launch compiles the kernel, and waits for other work on the \
         device. Launch once before you start the clock.",
    ),
    (
        |device, runs| {
            device.launch();
            median(runs, || once(device))
        },
        "There was other work in the queue when the first run began, and you \
         have timed that, too. Call finish before you start the clock.",
    ),
    (
        |device, runs| {
            once(device);
            (0..runs).map(|_| once(device)).sum::<f64>() / runs as f64
        },
        "That is the mean, which includes every interruption. Use the median.",
    ),
    (
        |device, runs| {
            once(device);
            let times = (0..runs).map(|_| once(device));
            times.fold(f64::INFINITY, f64::min)
        },
        "That is the shortest run, which had a warm cache by luck. Use the \
         median.",
    ),
    (
        |device, runs| {
            once(device);
            let start = device.now();
            (0..runs).for_each(|_| device.launch());
            device.finish();
            (device.now() - start) / runs as f64
        },
        "You waited once for all launches, so each command was enqueued while \
         the device worked on the one before. Wait after each launch.",
    ),
];

fn once(device: &Device) -> f64 {
    let start = device.now();
    device.launch();
    device.finish();
    device.now() - start
}

fn median(runs: usize, run: impl Fn() -> f64) -> f64 {
    let mut times: Vec<f64> = (0..runs).map(|_| run()).collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

fn judged(runs: usize) -> Outcome {
    let right = ORDER + WORK + ANSWER;
    let yours = yours::time(&Device::new(), runs);
    let is = |time: f64| (yours - time).abs() < 1e-6;
    if is(right) {
        return Ok(());
    }
    let known = OTHERS.iter().find(|(f, _)| is(f(&Device::new(), runs)));
    Err(wrong(format!(
        "With {runs} runs your function returns {yours} µs. {}\n\n  {ORDER:>5} \
         µs  the call of launch\n  {WORK:>5} µs  the work of the device\n  \
         {ANSWER:>5} µs  until finish returns\n  {right:>5} µs  together",
        known.map_or("", |(_, why)| why)
    )))
}

fn one(_: &()) -> Outcome {
    judged(1)
}

fn many(_: &()) -> Outcome {
    judged(21)
}
