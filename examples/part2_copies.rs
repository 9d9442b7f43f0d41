//! Measures how fast data is copied to a device and back.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Bytes, Gpu};
use rungrad::stopwatch::{self, Seconds, machine};

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        print!("{}", machine(&gpu));
        println!("\n                to the device    back to the host");
        println!("    bytes        time    GB/s        time    GB/s");
        for power in [2, 6, 10, 14, 18, 22, 24] {
            row(&gpu, 1 << power)?;
        }
        Ok(())
    })
}

fn row(gpu: &Gpu, n: usize) -> Result<(), Error> {
    let mut values = vec![1.0_f32; n];
    let buffer = gpu.upload(&values)?;
    // A small write returns before the data has arrived.
    let there = stopwatch::host(|| {
        buffer.write(&values)?;
        gpu.finish()
    })?;
    let back = stopwatch::host(|| buffer.read_into(&mut values))?;
    let bytes = 4 * n as u64;
    let cell = |seconds: f64| {
        let rate = bytes as f64 / seconds * 1e-9;
        format!("{:>10}  {rate:>6.2}", Seconds(seconds))
    };
    println!(
        "{:>9}  {}  {}",
        Bytes(bytes).to_string(),
        cell(there),
        cell(back)
    );
    Ok(())
}
