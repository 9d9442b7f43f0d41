//! Computes the gradients of `(a * b) * b` with all engines of the course, and
//! counts what each of them does.
//!
//! ```sh
//! cargo run --example four_engines
//! cargo run --release --example four_engines -- 16777216 --time
//! ```
//!
//! The number is the number of elements (1024). With `--time`, each engine
//! runs ten times, and the median is printed.

use std::process::ExitCode;
use std::time::Instant;

use rungrad::ledger::{self, Counts};
use rungrad::opencl::Gpu;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::{Error, Result, part1_cpu, part2_gpu};

/// The first elements of the gradients of `a` and `b`.
type Gradients = Result<[f32; 2]>;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let timed = words.iter().any(|word| word == "--time");
        let number = words.iter().find(|word| *word != "--time");
        let len = number.map_or(Ok(1024), |word| {
            let what = format!("{word:?} is not a number of elements");
            word.parse().map_err(|_| Error::Usage(what))
        })?;
        let gpu = Gpu::open(0)?;
        let (a, b) = (vec![2.0; len], vec![3.0; len]);
        println!(
            "{:24}nodes  launches  KB reached  {:>8}  gradients",
            "", "time"
        );
        let row =
            |name: &str, run: &dyn Fn() -> Gradients| show(name, run, timed);
        row("Part 1, the processor", &|| part1(&a, &b))?;
        row("Part 2, OpenCL", &|| part2(&gpu, &a, &b))?;
        row("Part 3, the processor", &|| part3(Device::Cpu, &a, &b))?;
        row("Part 3, OpenCL", &|| part3(Device::Gpu(0), &a, &b))?;
        row("Part 3, lazily", &|| part3(Device::Fused(0), &a, &b))
    })
}

// ANCHOR: parts
fn part1(a: &[f32], b: &[f32]) -> Gradients {
    let leaf = |values: &[f32]| part1_cpu::Tensor::new(&[a.len()], values);
    let (a, b) = (leaf(a), leaf(b));
    a.mul(&b).mul(&b).sum().backward();
    Ok([&a, &b].map(|it| it.grad().expect("a gradient")[[0]]))
}

fn part2(gpu: &Gpu, a: &[f32], b: &[f32]) -> Gradients {
    let leaf = |values: &[f32]| {
        let leaf = part2_gpu::Tensor::new(gpu, &[a.len()], values)?;
        Ok::<_, Error>(leaf.requires_grad())
    };
    let (a, b) = (leaf(a)?, leaf(b)?);
    a.mul(&b).mul(&b).sum().backward();
    let first = |it: &part2_gpu::Tensor| {
        Ok::<_, Error>(it.grad().expect("a gradient").to_vec()?[0])
    };
    Ok([first(&a)?, first(&b)?])
}

fn part3(device: Device, a: &[f32], b: &[f32]) -> Gradients {
    let leaf = |values: &[f32]| {
        Ok::<_, Error>(Tensor::new(&[a.len()], values, device)?.requires_grad())
    };
    let (a, b) = (leaf(a)?, leaf(b)?);
    a.mul(&b).mul(&b).sum().backward();
    let first = |it: &Tensor| {
        Ok::<_, Error>(it.grad().expect("a gradient").to_vec()?[0])
    };
    Ok([first(&a)?, first(&b)?])
}
// ANCHOR_END: parts

fn show(name: &str, run: &dyn Fn() -> Gradients, timed: bool) -> Result<()> {
    // The first run compiles kernels.
    run()?;
    let (gradients, counts) = ledger::measure(run);
    let Counts { nodes, launches, bytes_reached, .. } = counts;
    let time = match timed {
        true => median(run)?,
        false => "-".to_string(),
    };
    let kilobytes = bytes_reached as f64 / 1e3;
    println!(
        "{name:24}{nodes:>5}  {launches:>8}  {kilobytes:>10.1}  {time:>8}  {:?}",
        gradients?
    );
    Ok(())
}

fn median(run: &dyn Fn() -> Gradients) -> Result<String> {
    let mut times = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(format!("{:.1} ms", times[5]))
}
