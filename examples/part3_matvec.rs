//! Multiplies a matrix of 100,000 rows by a vector in three ways: with Part 3
//! on the processor, with Part 3 on a device, and with Part 2's kernels there.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Gpu, record};
use rungrad::part2_gpu::matvec::{ROWS, TEAMS};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::stopwatch::{self, Seconds, median};

const M: usize = 100_000;
const K: usize = 100;

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let device = Device::Gpu(gpu.info().index);
        println!("({M}, {K}) x ({K}) on the processor and on {device},");
        println!("{}\n", gpu.name());
        println!("{:<22} {:>12} {:>12}", "", "host's clock", "device's");

        let here = multiplied(Device::Cpu)?;
        let there = multiplied(device)?;

        let part2 = |values: Tensor| gpu.upload(&values.to_vec()?);
        let a = part2(Tensor::rand(&[M, K], 1, Device::Cpu)?)?;
        let v = part2(Tensor::rand(&[K], 2, Device::Cpu)?)?;
        let out = gpu.allocate(M)?;
        let mut all = vec![there];
        for (name, way) in [("rows", ROWS), ("teams", TEAMS)] {
            let times = times(|| {
                way.launch(&a, &v, &out, [M, K]).run()?;
                gpu.finish()
            })?;
            row(&format!("Part 2's matvec_{name}"), times);
            all.push(out.read()?);
        }

        let pairs = all.iter().flat_map(|there| there.iter().zip(&here));
        let far = pairs.map(|(a, b)| ((a - b) / b).abs()).fold(0.0, f32::max);
        match far < 1e-5 {
            true => println!("\nall agree to five digits"),
            false => println!("\nthey differ by up to {far:e} of the value"),
        }
        Ok(())
    })
}

// ANCHOR: unified
/// Computes, times and returns Part 3's result on any device.
fn multiplied(device: Device) -> Result<Vec<f32>, Error> {
    // The seed gives the same values on every device.
    let a = Tensor::rand(&[M, K], 1, device)?;
    let v = Tensor::rand(&[K, 1], 2, device)?;
    let times = times(|| {
        let u = a.matmul(&v);
        device.synchronize()?;
        Ok(u)
    })?;
    row(&format!("Part 3 on {device}"), times);
    a.matmul(&v).to_vec()
}
// ANCHOR_END: unified

/// Prints the time by the host's clock from the call until the work is done,
/// and the kernels' time by the device clock.
fn times<T>(
    mut work: impl FnMut() -> Result<T, Error>,
) -> Result<(f64, f64), Error> {
    let host = stopwatch::host(&mut work)?;
    let mut runs = Vec::new();
    for _ in 0..21 {
        let (done, timeline) = record(&mut work)?;
        done?;
        let kernels = timeline.slices.iter().filter_map(|it| it.times);
        let nanoseconds: u64 = kernels.map(|times| times.ran()).sum();
        runs.push(nanoseconds as f64 * 1e-9);
    }
    Ok((host, median(runs)))
}

fn row(name: &str, (host, device): (f64, f64)) {
    let device = match device > 0.0 {
        true => Seconds(device).to_string(),
        false => "-".to_string(),
    };
    println!("{name:<22} {:>12} {device:>12}", Seconds(host));
}
