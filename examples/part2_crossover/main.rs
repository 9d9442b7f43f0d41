//! Finds the size above which a device is faster than the host: compares Part
//! 1 with a kernel, including the copies and without them.
//!
//! ```sh
//! cargo run --release --example part2_crossover -- add
//! cargo run --release --example part2_crossover -- matmul
//! ```
//!
//! Without an argument both are measured. The results are also drawn.

mod picture;

use std::path::Path;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::draw::save;
use rungrad::opencl::{Buffer, Event, Gpu};
use rungrad::part1_cpu::Tensor;
use rungrad::part2_gpu::kernels;
use rungrad::part2_gpu::matmul::MATMUL_LADDER;
use rungrad::rng::Random;
use rungrad::stopwatch::{self, Seconds, machine};

use picture::{Point, curves};

/// Seconds after which larger sizes are skipped.
const LONG: f64 = 0.25;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let works: &[Work] = match &words[..] {
            [] => &[ADD, MATMUL],
            [word] if word == "add" => &[ADD],
            [word] if word == "matmul" => &[MATMUL],
            _ => {
                return Err(Error::Usage(format!(
                    "part2_crossover takes add, matmul, or no argument for \
                     both; it was given `{}`.",
                    words.join(" ")
                )));
            }
        };
        let gpu = Gpu::first()?;
        works.iter().try_for_each(|work| compare(&gpu, work))
    })
}

/// The same computation on both sides, for every size.
struct Work {
    name: &'static str,
    sizes: &'static [usize],
    /// Maps a size to a shape.
    shape: fn(usize) -> Vec<usize>,
    host: fn(&Tensor, &Tensor) -> Tensor,
    device: fn(&[Buffer<f32>; 3], usize) -> Result<Event, Error>,
}

const ADD: Work = Work {
    name: "add",
    sizes: &[
        1 << 8,
        1 << 10,
        1 << 12,
        1 << 14,
        1 << 16,
        1 << 18,
        1 << 20,
        1 << 22,
        1 << 24,
    ],
    shape: |n| vec![n],
    host: |a, b| a.add(b),
    device: |[a, b, out], n| {
        a.gpu()
            .launch(&kernels::EW_ADD)
            .input(a)
            .input(b)
            .output(out)
            .scalar(n as u32)
            .global(n)
            .local(256)
            .timed()
    },
};

const MATMUL: Work = Work {
    name: "matmul",
    sizes: &[16, 32, 64, 128, 256, 512, 1024, 2048],
    shape: |n| vec![n, n],
    host: |a, b| a.matmul(b),
    device: |[a, b, out], n| MATMUL_LADDER[2].launch(a, b, out, [n; 3]).timed(),
};

fn compare(gpu: &Gpu, work: &Work) -> Result<(), Error> {
    print!("{}", machine(gpu));
    println!(
        "\n{:<6}         n        host  with copies     without",
        work.name
    );
    let mut points = vec![];
    for &n in work.sizes {
        let point = measure(gpu, work, n)?;
        let [host, copies, launch] =
            [point.host, point.copies, point.launch].map(Seconds);
        println!("{n:>16}  {host:>10}  {copies:>11}  {launch:>10}");
        let longest = point.host.max(point.copies);
        points.push(point);
        if longest > LONG {
            break;
        }
    }
    // The crossover is the size from which the device always wins; one lucky
    // win at a smaller size does not count.
    let from = |time: fn(&Point) -> f64| {
        let lost = points.iter().rposition(|p| time(p) >= p.host);
        let next = points.get(lost.map_or(0, |lost| lost + 1));
        next.map_or("-".to_string(), |point| point.n.to_string())
    };
    let (copies, launch) = (from(|p| p.copies), from(|p| p.launch));
    println!("the device wins from          {copies:>11}  {launch:>10}");

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(format!("target/crossover-{}.svg", work.name));
    save(&file, curves(work.name, &points).as_bytes())?;
    println!("\nthe picture is in {}", file.display());
    Ok(())
}

// ANCHOR: measure
fn measure(gpu: &Gpu, work: &Work, n: usize) -> Result<Point, Error> {
    let shape = (work.shape)(n);
    let (x, y) = (numbers(1, &shape), numbers(2, &shape));
    let (a, b) = (Tensor::new(&shape, &x), Tensor::new(&shape, &y));
    let host = stopwatch::host(|| Ok((work.host)(&a, &b)))?;

    // Input and output in host memory.
    let there =
        || Ok([gpu.upload(&x)?, gpu.upload(&y)?, gpu.allocate(x.len())?]);
    let copies = stopwatch::host(|| {
        let buffers = there()?;
        (work.device)(&buffers, n)?;
        buffers[2].read()
    })?;

    // Input and output in device memory.
    let buffers = there()?;
    let launch = stopwatch::host(|| {
        (work.device)(&buffers, n)?;
        gpu.finish()
    })?;
    Ok(Point { n, host, copies, launch })
}
// ANCHOR_END: measure

fn numbers(seed: u64, shape: &[usize]) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..shape.iter().product()).map(|_| random.normal()).collect()
}
