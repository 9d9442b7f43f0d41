//! Adds two vectors on a device and measures each part of the work.
//!
//! ```sh
//! cargo run --release --example part2_add
//! cargo run --release --example part2_add -- 10000000
//! ```
//!
//! The argument is the number of elements.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Buffer, Event, Gpu};
use rungrad::part2_gpu::kernels;
use rungrad::rng::Random;
use rungrad::stopwatch::{self, Seconds, machine};

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let n = match &words[..] {
            [] => 100_000,
            [n] => n.parse().ok().filter(|n| *n > 0).ok_or(usage(n))?,
            _ => return Err(usage(&words.join(" "))),
        };
        let gpu = Gpu::first()?;
        print!("{}", machine(&gpu));
        measure(&gpu, n)
    })
}

fn usage(words: &str) -> Error {
    Error::Usage(format!(
        "part2_add takes one argument, a number of elements, or none; it was \
         given `{words}`."
    ))
}

// ANCHOR: part2-add
/// Adds the vectors on the device.
fn add(
    a: &Buffer<f32>,
    b: &Buffer<f32>,
    out: &Buffer<f32>,
) -> Result<Event, Error> {
    let n = out.len();
    out.gpu()
        .launch(&kernels::EW_ADD)
        .input(a)
        .input(b)
        .output(out)
        .scalar(n as u32)
        .global(n)
        .local(256)
        .timed()
}

/// Adds the vectors on the host.
fn loop_over(x: &[f32], y: &[f32], sums: &mut [f32]) {
    for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
        *sum = x + y;
    }
}
// ANCHOR_END: part2-add

fn measure(gpu: &Gpu, n: usize) -> Result<(), Error> {
    let (x, y) = (numbers(1, n), numbers(2, n));
    let (a, b) = (gpu.upload(&x)?, gpu.upload(&y)?);
    let out = gpu.allocate::<f32>(n)?;
    let mut sums = vec![0.0; n];
    let host = stopwatch::host(|| {
        loop_over(&x, &y, &mut sums);
        Ok(std::hint::black_box(&sums)[0])
    })?;
    let [uploads, kernel, launch, read] = clocks(&x, &y, &a, &b, &out)?;

    println!("{n} sums in {} groups of 256 items", n.div_ceil(256));
    match sums == out.read()? {
        true => println!("each has the same bits as the host's sum"),
        false => println!("they differ from the host's sums"),
    }
    println!("\n                              median            GB/s");
    for (what, arrays, seconds) in [
        ("a loop on the host", 3, host),
        ("two uploads", 2, uploads),
        ("the kernel, by its event", 3, kernel),
        ("the launch and the wait", 3, launch),
        ("the read", 1, read),
    ] {
        let rate = (4 * n * arrays) as f64 / seconds * 1e-9;
        println!("{what:<24}  {:>10}  {rate:>14.1}", Seconds(seconds));
    }
    Ok(())
}

// ANCHOR: part2-add-clocks
fn clocks(
    x: &[f32],
    y: &[f32],
    a: &Buffer<f32>,
    b: &Buffer<f32>,
    out: &Buffer<f32>,
) -> Result<[f64; 4], Error> {
    let mut back = vec![0.0; out.len()];
    let uploads = stopwatch::host(|| {
        a.write(x)?;
        b.write(y)?;
        out.gpu().finish()
    })?;
    let kernel = stopwatch::device(|| add(a, b, out))?;
    let launch = stopwatch::host(|| {
        add(a, b, out)?;
        out.gpu().finish()
    })?;
    let read = stopwatch::host(|| out.read_into(&mut back))?;
    Ok([uploads, kernel, launch, read])
}
// ANCHOR_END: part2-add-clocks

fn numbers(seed: u64, n: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.normal()).collect()
}
