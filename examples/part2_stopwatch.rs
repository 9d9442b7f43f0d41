//! Three ways to time the same work, one of which is wrong, and what the host
//! and the device did meanwhile.
//!
//! ```sh
//! cargo run --release --example part2_stopwatch
//! cargo run --release --example part2_stopwatch -- 16777216
//! ```
//!
//! The argument is the number of additions per launch.

use std::process::ExitCode;
use std::time::Instant;

use rungrad::Error;
use rungrad::opencl::{Event, Gpu, record};
use rungrad::part2_gpu::kernels;
use rungrad::stopwatch::{Seconds, machine};

const LAUNCHES: usize = 4;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let n = match &words[..] {
            [] => 1 << 22,
            [n] => n.parse().ok().filter(|n| *n > 0).ok_or(usage(n))?,
            _ => return Err(usage(&words.join(" "))),
        };
        let gpu = Gpu::first()?;
        print!("{}", machine(&gpu));
        compare(&gpu, n)
    })
}

fn usage(words: &str) -> Error {
    Error::Usage(format!(
        "part2_stopwatch takes one argument, a number of sums, or none; it was \
         given `{words}`."
    ))
}

fn compare(gpu: &Gpu, n: usize) -> Result<(), Error> {
    let (a, b) = (gpu.upload(&vec![1.0; n])?, gpu.upload(&vec![2.0; n])?);
    let out = gpu.allocate::<f32>(n)?;
    let add = || {
        gpu.launch(&kernels::EW_ADD)
            .input(&a)
            .input(&b)
            .output(&out)
            .scalar(n as u32)
            .global(n)
            .local(256)
            .timed()
    };

    let start = Instant::now();
    let first = add()?;
    gpu.finish()?;
    let whole = start.elapsed().as_secs_f64();
    println!("\nthe first launch, with its wait    {:>10}", Seconds(whole));
    println!("of which the kernel worked         {:>10}", work(&[first])?);

    let (times, timeline) = record(|| three_times(gpu, add))?;
    let [asked, done, worked] = times?;
    println!("\n{LAUNCHES} launches of {n} sums                      GB/s");
    for (what, seconds) in [
        ("stopped when all were enqueued", asked),
        ("stopped when all were done", done),
        ("by the device's clock", worked),
    ] {
        // Each addition reads two floats and writes one.
        let rate = (LAUNCHES * n * 3 * 4) as f64 / seconds.0 * 1e-9;
        println!("{what:<33}  {seconds:>10}  {rate:>10.1}");
    }
    print!("\n{}", timeline.text());
    Ok(())
}

// ANCHOR: part2-stopwatch
fn three_times(
    gpu: &Gpu,
    launch: impl Fn() -> Result<Event, Error>,
) -> Result<[Seconds; 3], Error> {
    let start = Instant::now();
    let mut events = vec![];
    for _ in 0..LAUNCHES {
        events.push(launch()?);
    }
    let asked = start.elapsed();
    gpu.finish()?;
    let done = start.elapsed();
    let [asked, done] = [asked, done].map(|time| Seconds(time.as_secs_f64()));
    Ok([asked, done, work(&events)?])
}

/// Returns the kernels' execution time by the device clock.
fn work(events: &[Event]) -> Result<Seconds, Error> {
    let mut worked = 0.0;
    for event in events {
        worked += event.times()?.ran() as f64 * 1e-9;
    }
    Ok(Seconds(worked))
}
// ANCHOR_END: part2-stopwatch
