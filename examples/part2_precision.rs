//! Measures arithmetic in `f32` and in `f64`.
//!
//! ```sh
//! cargo run --release --example part2_precision
//! cargo run --release --example part2_precision -- 16777216
//! ```
//!
//! The argument is the number of work-items, each of which takes a thousand
//! steps.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::kernels;
use rungrad::stopwatch::{self, Seconds, machine};

const STEPS: u32 = 1000;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let n = match &words[..] {
            [] => 65_536,
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
        "part2_precision takes one argument, a number of items, or none; it \
         was given `{words}`."
    ))
}

fn measure(gpu: &Gpu, n: usize) -> Result<(), Error> {
    if !gpu.info().supports_f64 {
        return Err(Error::Device(format!(
            "{} has no 64-bit floats, so there is nothing to compare: choose a \
             different device with RUNGRAD_DEVICE.",
            gpu.name()
        )));
    }
    let a = gpu.upload(&vec![1.0_f32; n])?;
    let out = gpu.allocate::<f32>(n)?;
    println!("{n} items, {STEPS} steps in four chains each\n");
    println!("             time  GFLOP/s");
    let mut times = vec![];
    for (kernel, name) in
        [(&kernels::CHAIN_F32, "f32"), (&kernels::CHAIN_F64, "f64")]
    {
        let time = stopwatch::device(|| {
            gpu.launch(kernel)
                .input(&a)
                .output(&out)
                .scalar(n as u32)
                .scalar(STEPS)
                .global(n)
                .local(256)
                .timed()
        })?;
        // Each step of each chain has one multiplication and one addition.
        let rate = 8.0 * n as f64 * f64::from(STEPS) / time * 1e-9;
        println!("{name}  {:>12}  {rate:>7.1}", Seconds(time).to_string());
        times.push(time);
    }
    println!("\nf64 takes {:.2} times as long", times[1] / times[0]);
    Ok(())
}
