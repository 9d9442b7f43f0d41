// honest_clock: how long does a launch take?
//
// WHAT   `device.launch()` enqueues a command and returns immediately,
//        `device.finish()` waits until the queue is empty, and `device.now()`
//        is the host's clock in microseconds. Return how long one launch takes
//        from the call until its result can be used: the median of `runs`
//        runs, an odd number.
// WHY    A measurement that did not wait once reported a hundred times the
//        memory bandwidth of the device. It had measured the time to enqueue a
//        command.
// READ   Time it honestly
// CHECK  cargo learn check honest_clock

use super::Device;

/// Returns the duration of a launch, in microseconds.
pub fn time(device: &Device, runs: usize) -> f64 {
    // HOLE
    //| todo!("TODO(honest_clock): where does a measurement begin and end?")
    device.launch();
    device.finish();
    let run = |_| {
        let start = device.now();
        device.launch();
        device.finish();
        device.now() - start
    };
    let mut times: Vec<f64> = (0..runs).map(run).collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
    // END HOLE
}
