//! Lists the devices of this machine with their properties, creates tensors on
//! each, and prints the memory they use.
//!
//! ```sh
//! cargo run --example part3_devices
//! cargo run --example part3_devices -- cpu gpu:1
//! ```
//!
//! The arguments are devices; the default is all of them.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::Bytes;
use rungrad::part3_unified::{Device, Tensor};

fn main() -> ExitCode {
    rungrad::run(|| {
        let names = rungrad::args();
        let devices = match names.is_empty() {
            true => Device::all(),
            false => {
                names.iter().map(|n| n.parse()).collect::<Result<_, _>>()?
            }
        };
        for device in &devices {
            describe(*device)?;
        }
        for device in devices {
            println!();
            storage(device)?;
            memory(device)?;
        }
        Ok(())
    })
}

// ANCHOR: describe
fn describe(device: Device) -> Result<(), Error> {
    println!("{device}: {}", device.name()?);
    if let Some(info) = device.info()? {
        println!("  OpenCL version  {}", info.version);
        println!("  compute units   {}", info.compute_units);
        println!("  global memory   {}", Bytes(info.global_memory));
    }
    Ok(())
}
// ANCHOR_END: describe

fn storage(device: Device) -> Result<(), Error> {
    let t = Tensor::new(&[2], &[1.0, 2.0], device)?;
    println!("{t}");
    println!("  storage: {:?}", t.array().storage());
    Ok(())
}

// ANCHOR: memory
fn memory(device: Device) -> Result<(), Error> {
    let show = |moment: &str| {
        let memory = device.memory()?;
        let (now, peak) = (Bytes(memory.now), Bytes(memory.peak));
        println!("  {moment:<12} {now:>9} now, {peak:>9} at peak");
        Ok::<_, Error>(())
    };
    show("before")?;
    let x = Tensor::rand(&[1000, 100], 1, device)?;
    let y = Tensor::rand(&[100, 1], 2, device)?;
    show("x and y")?;
    let u = x.matmul(&y);
    show("u = x y")?;
    drop((x, y));
    show("x, y gone")?;
    let first = u.slice(&[0..3]).to_vec()?;
    let [a, b, c] = [0, 1, 2].map(|i| first[i]);
    println!("  u begins with {a:.2}, {b:.2}, {c:.2}");
    Ok(())
}
// ANCHOR_END: memory
