//! Sums an array in six ways, each of which adds one idea to the previous.
//!
//! ```sh
//! cargo run --release --example part2_reductions
//! cargo run --release --example part2_reductions -- 1048576 268435456
//! ```
//!
//! The arguments are the lengths of the arrays.

use std::collections::BTreeSet;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Buffer, Gpu};
use rungrad::part2_gpu::totals::{SUM_METHODS, SumBuffers, SumMethod};
use rungrad::rng::Random;
use rungrad::stopwatch::{self, Seconds, machine};

/// How often each sum is repeated to compare its bits.
const RUNS: usize = 20;

fn main() -> ExitCode {
    rungrad::run(|| {
        let mut sizes = rungrad::args()
            .iter()
            .map(|word| size(word))
            .collect::<Result<Vec<usize>, Error>>()?;
        if sizes.is_empty() {
            sizes.push(1 << 20);
        }
        let gpu = Gpu::first()?;
        print!("{}", machine(&gpu));
        sizes.into_iter().try_for_each(|n| climb(&gpu, n))
    })
}

fn size(word: &str) -> Result<usize, Error> {
    let size = word.parse().ok().filter(|n| (1..=1 << 30).contains(n));
    size.ok_or_else(|| {
        Error::Usage(format!(
            "part2_reductions takes numbers of elements, from 1 to 1073741824, \
             not `{word}`."
        ))
    })
}

fn climb(gpu: &Gpu, n: usize) -> Result<(), Error> {
    let mut random = Random::new(17);
    let numbers: Vec<f32> = (0..n).map(|_| random.uniform()).collect();
    let exact: f64 = numbers.iter().map(|x| f64::from(*x)).sum();
    let a = gpu.upload(&numbers)?;

    println!("\n{n} elements, {:.1} MB", 4e-6 * n as f64);
    println!("                               sums in");
    println!(
        "                     launches  {RUNS} runs  wrong by      time    GB/s"
    );
    for method in &SUM_METHODS {
        let buffers = method.buffers(gpu, n)?;
        let (sums, error) = bits(method, &a, &buffers, exact)?;
        let time = stopwatch::launches(|| {
            let launches = method.launches(&a, &buffers).into_iter();
            launches.map(|launch| launch.timed()).collect()
        })?;
        println!(
            "{:<19}  {:>8}  {sums:>7}  {error:>8.0e}  {:>8}  {:>6.1}",
            method.kernel.name(),
            method.launches(&a, &buffers).len(),
            Seconds(time),
            4e-9 * n as f64 / time
        );
    }
    Ok(())
}

/// Counts the distinct bit patterns among the sums, and finds the largest
/// error.
fn bits(
    method: &SumMethod,
    a: &Buffer<f32>,
    buffers: &SumBuffers,
    exact: f64,
) -> Result<(usize, f64), Error> {
    let mut sums = BTreeSet::new();
    let mut worst = 0.0_f64;
    for _ in 0..RUNS {
        for launch in method.launches(a, buffers) {
            launch.run()?;
        }
        let sum = buffers.total().read()?[0];
        sums.insert(sum.to_bits());
        worst = worst.max((f64::from(sum) - exact).abs() / exact);
    }
    Ok((sums.len(), worst))
}
