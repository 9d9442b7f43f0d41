//! Multiplies a matrix by a vector on the host and in two ways on a device,
//! and reports the error of each against `f64`.
//!
//! ```sh
//! cargo run --release --example part2_matvec
//! cargo run --release --example part2_matvec -- 4096 4096
//! ```
//!
//! The arguments are the rows and the columns of the matrix.

use std::process::ExitCode;

use ndarray::{ArrayView1, ArrayView2};
use rungrad::Error;
use rungrad::opencl::{Buffer, Gpu};
use rungrad::part2_gpu::matvec::{ROWS, TEAMS, Variant};
use rungrad::rng::Random;
use rungrad::stopwatch::{self, Seconds, machine};

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        let size = |word: &String| word.parse().ok().filter(|n| *n > 0);
        let shape = match &words[..] {
            [] => [100_000, 100],
            [m, k] => match (size(m), size(k)) {
                (Some(m), Some(k)) => [m, k],
                _ => return Err(usage(&words)),
            },
            _ => return Err(usage(&words)),
        };
        compare(&Gpu::first()?, shape)
    })
}

fn usage(words: &[String]) -> Error {
    Error::Usage(format!(
        "part2_matvec takes two arguments, the rows and columns of a matrix, \
         or none; it was given `{}`.",
        words.join(" ")
    ))
}

fn compare(gpu: &Gpu, [m, k]: [usize; 2]) -> Result<(), Error> {
    let mut random = Random::new(14);
    let mut normal = |n| (0..n).map(|_| random.normal()).collect::<Vec<f32>>();
    let (a, v) = (normal(m * k), normal(k));
    let exact = in_f64(&a, &v);

    let matrix = ArrayView2::from_shape((m, k), &a).expect("m rows of k");
    let vector = ArrayView1::from(&v);
    let on_host = matrix.dot(&vector).to_vec();
    let host_time = stopwatch::host(|| Ok(matrix.dot(&vector)))?;
    let device = Operands {
        shape: [m, k],
        a: gpu.upload(&a)?,
        v: gpu.upload(&v)?,
        out: gpu.allocate(m)?,
    };
    let (rows, rows_time) = device.run(&ROWS)?;
    let (teams, teams_time) = device.run(&TEAMS)?;

    print!("{}", machine(gpu));
    println!("a ({m}, {k}) by v ({k})\n");
    println!("                      allclose  error at most      time    GB/s");
    for (what, found, time) in [
        ("host, by ndarray", &on_host, host_time),
        ("device, matvec_rows", &rows, rows_time),
        ("device, matvec_teams", &teams, teams_time),
    ] {
        let close = match allclose(found, &on_host, 1e-5, 1e-5) {
            true => "yes",
            false => "no",
        };
        let error = largest_error(found, &exact);
        let rate = 4.0 * (m * k + k + m) as f64 / time * 1e-9;
        let time = Seconds(time);
        println!(
            "{what:<20}  {close:>8}  {error:>13.1e}  {time:>8}  {rate:>6.1}"
        );
    }

    let off = |row: usize| (rows[row] - teams[row]).abs();
    let row = (0..m).max_by(|&a, &b| off(a).total_cmp(&off(b)));
    let row = row.expect("a row");
    println!("\nthe two kernels differ most in row {row}");
    println!("  host   {}", on_host[row]);
    println!("  rows   {}", rows[row]);
    println!("  teams  {}", teams[row]);
    println!("  f64    {:.10}", exact[row]);
    Ok(())
}

/// The operands in device memory.
struct Operands {
    shape: [usize; 2],
    a: Buffer<f32>,
    v: Buffer<f32>,
    out: Buffer<f32>,
}

impl Operands {
    /// Returns the product, and the kernel's time in seconds by the device
    /// clock.
    fn run(&self, way: &Variant) -> Result<(Vec<f32>, f64), Error> {
        let Operands { shape, a, v, out } = self;
        let time = stopwatch::device(|| way.launch(a, v, out, *shape).timed())?;
        Ok((out.read()?, time))
    }
}

// ANCHOR: allclose
/// Returns whether corresponding values are close: within `atol` plus `rtol`
/// times the expected value.
fn allclose(a: &[f32], b: &[f32], rtol: f32, atol: f32) -> bool {
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= atol + rtol * b.abs();
    a.len() == b.len() && a.iter().zip(b).all(near)
}
// ANCHOR_END: allclose

/// Returns the product with sums accumulated in `f64`.
fn in_f64(a: &[f32], v: &[f32]) -> Vec<f64> {
    let product = |(a, v): (&f32, &f32)| f64::from(*a) * f64::from(*v);
    let row = |row: &[f32]| row.iter().zip(v).map(product).sum();
    a.chunks(v.len()).map(row).collect()
}

fn largest_error(found: &[f32], exact: &[f64]) -> f64 {
    let error = |(f, e): (&f32, &f64)| (f64::from(*f) - e).abs();
    found.iter().zip(exact).map(error).fold(0.0, f64::max)
}
