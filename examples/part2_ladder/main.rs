//! Measures the matmul ladder rung by rung, and the cost of kernels that
//! hardly compute anything.
//!
//! ```sh
//! cargo run --release --example part2_ladder
//! cargo run --release --example part2_ladder -- 1024 4096
//! cargo run --release --example part2_ladder -- 4096 --numbers 268435456 \
//!     --peer "python3 benches/peers/gpu.py"
//! ```
//!
//! The arguments are the sizes of square matrices; `--numbers` is the number
//! of elements for the other kernels. A peer is another program that does the
//! same work on the same device. It runs after each rung, so that both are
//! measured within the same minute.

mod peer;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Buffer, Event, Gpu, Kernel};
use rungrad::part2_gpu::kernels;
use rungrad::part2_gpu::matmul::MATMUL_LADDER;
use rungrad::rng::Random;
use rungrad::stopwatch;

use peer::Peer;

fn main() -> ExitCode {
    rungrad::run(|| {
        let plan = Plan::of(rungrad::args())?;
        let gpu = Gpu::first()?;
        print!("{}", stopwatch::machine(&gpu));
        let mut peer = plan.peer.as_deref().map(Peer::start).transpose()?;
        let name = peer.as_ref().map_or("none", |peer| &peer.name);
        println!("peer    {name}");
        for n in plan.sizes {
            climb(&gpu, n, &mut peer)?;
        }
        stream(&gpu, plan.numbers, &mut peer)
    })
}

/// The parsed command line.
struct Plan {
    sizes: Vec<usize>,
    numbers: usize,
    peer: Option<String>,
}

impl Plan {
    fn of(words: Vec<String>) -> Result<Plan, Error> {
        let mut plan = Plan { sizes: vec![], numbers: 1 << 20, peer: None };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--numbers" => plan.numbers = size(words.next())?,
                "--peer" => plan.peer = Some(words.next().ok_or_else(usage)?),
                _ => plan.sizes.push(size(Some(word))?),
            }
        }
        if plan.sizes.is_empty() {
            plan.sizes.push(256);
        }
        Ok(plan)
    }
}

fn size(word: Option<String>) -> Result<usize, Error> {
    let number = word.and_then(|word| word.parse().ok());
    number.filter(|n| *n > 0).ok_or_else(usage)
}

fn usage() -> Error {
    Error::Usage(
        "part2_ladder takes sizes of matrices, --numbers N and --peer \
         COMMAND, such as 1024 --peer \"python3 benches/peers/gpu.py\"."
            .into(),
    )
}

/// Multiplies the same two matrices on every rung of the ladder.
fn climb(gpu: &Gpu, n: usize, peer: &mut Option<Peer>) -> Result<(), Error> {
    let (a, b) = (values(gpu, n * n)?, values(gpu, n * n)?);
    let out = gpu.allocate(n * n)?;
    let rate = |seconds: f64| 2.0 * (n as f64).powi(3) / seconds * 1e-9;

    println!("\n({n}, {n}) x ({n}, {n})");
    println!("                     loads for one element");
    println!(
        "kernel               global    local         ms  GFLOP/s  of peer"
    );
    let mut theirs = vec![];
    for rung in MATMUL_LADDER {
        let time =
            stopwatch::device(|| rung.launch(&a, &b, &out, [n; 3]).timed())?;
        let share = beside(peer, "matmul", n, time, &mut theirs)?;
        let [global, local] = rung.loads(n);
        println!(
            "{:<17}  {global:>8.2} {local:>8.2}  {:>9.3}  {:>7.1}  {share:>7}",
            rung.kernel.name(),
            1e3 * time,
            rate(time)
        );
    }
    let time = stopwatch::median(theirs);
    if peer.is_some() {
        println!(
            "{:<17}  {:>8} {:>8}  {:>9.3}  {:>7.1}  {:>7}",
            "peer",
            "",
            "",
            1e3 * time,
            rate(time),
            "1.00"
        );
    }
    Ok(())
}

/// Formats a speed as a fraction of the peer's speed.
fn beside(
    peer: &mut Option<Peer>,
    work: &str,
    n: usize,
    time: f64,
    theirs: &mut Vec<f64>,
) -> Result<String, Error> {
    let Some(peer) = peer else { return Ok("-".into()) };
    let other = peer.time(work, n)?;
    theirs.push(other);
    Ok(format!("{:.2}", other / time))
}

/// Returns values between -1 and 1.
fn values(gpu: &Gpu, n: usize) -> Result<Buffer<f32>, Error> {
    let mut random = Random::new(18);
    let numbers: Vec<f32> =
        (0..n).map(|_| 2.0 * random.uniform() - 1.0).collect();
    gpu.upload(&numbers)
}

/// Measures kernels that are limited by memory bandwidth, with one item per
/// element or per `float4`.
fn stream(gpu: &Gpu, n: usize, peer: &mut Option<Peer>) -> Result<(), Error> {
    let (a, b) = (values(gpu, n)?, values(gpu, n)?);
    let out: Buffer<f32> = gpu.allocate(n)?;
    let multiply = |kernel: &Kernel, items: usize| -> Result<Event, Error> {
        let launch = gpu.launch(kernel).input(&a).input(&b);
        let launch = launch.output(&out).scalar(n as u32);
        launch.global(items).local(256).timed()
    };
    let copy = || -> Result<Event, Error> {
        let launch = gpu.launch(&kernels::EW_COPY4).input(&a);
        let launch = launch.output(&out).scalar(n as u32);
        launch.global(n.div_ceil(4)).local(256).timed()
    };
    let mul = stopwatch::device(|| multiply(&kernels::EW_MUL, n))?;
    let mul4 =
        stopwatch::device(|| multiply(&kernels::EW_MUL4, n.div_ceil(4)))?;
    let copy4 = stopwatch::device(copy)?;

    println!("\n{n} numbers");
    println!("kernel                    ms     GB/s  of peer");
    for (kernel, work, arrays, time) in [
        ("ew_mul", "mul", 3, mul),
        ("ew_mul4", "mul", 3, mul4),
        ("ew_copy4", "copy", 2, copy4),
    ] {
        let rate = (4 * arrays * n) as f64 / time * 1e-9;
        let share = beside(peer, work, n, time, &mut vec![])?;
        println!("{kernel:<17}  {:>9.4}  {rate:>7.1}  {share:>7}", 1e3 * time);
    }
    Ok(())
}
