//! Moves tensors between all pairs of devices, and counts what each move
//! copies.
//!
//! ```sh
//! cargo run --example part3_moves
//! RUNGRAD_DEVICE=gpu:1 cargo run --example part3_moves
//! ```

use std::process::ExitCode;

use ndarray::array;
use rungrad::Data;
use rungrad::opencl::Gpu;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::{Error, attempt, ledger};

// ANCHOR: moves
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let there = Device::Gpu(gpu.info().index);
        let list = [1.0, 2.0, 3.0, 4.0];
        let columns = array![[1.0_f32, 3.0], [2.0, 4.0]];
        println!("{:26}up  down  storages", "");
        for to in [Device::Cpu, there] {
            let from = |data: Data| Tensor::from_data(&[2, 2], data, to);
            row("list", to, || from(list.into()))?;
            row("ndarray", to, || Tensor::from_ndarray(&columns.t(), to))?;
            let buffer = gpu.upload(&list)?;
            row("buffer", to, || from(buffer.into()))?;
            for home in [Device::Cpu, there] {
                let tensor = Tensor::new(&[2, 2], &list, home)?;
                row(&format!("tensor on {home}"), to, || tensor.to(to))?;
            }
        }
        two_devices(there)
    })
}

/// Formats the bytes that a move sends to and receives from the device, and
/// the number of storages it creates.
fn row(
    from: &str,
    to: Device,
    work: impl FnOnce() -> Result<Tensor, Error>,
) -> Result<(), Error> {
    let (tensor, counts) = ledger::measure(work);
    let tensor = tensor?;
    let [up, down] = [counts.bytes_to_device, counts.bytes_to_host];
    println!(
        "{:<24}{up:>4}{down:>6}{:>10}  {}",
        format!("{from} to {to}"),
        counts.storages,
        tensor.array()
    );
    Ok(())
}
// ANCHOR_END: moves

// ANCHOR: two-devices
fn two_devices(there: Device) -> Result<(), Error> {
    let a = Tensor::new(&[1], &[2.0], Device::Cpu)?;
    let b = Tensor::new(&[1], &[3.0], there)?;
    if let Err(error) = attempt(|| a.mul(&b)) {
        println!("{error}");
    }
    println!("{}", a.to(there)?.mul(&b).array());
    Ok(())
}
// ANCHOR_END: two-devices
