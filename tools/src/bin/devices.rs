//! Lists the OpenCL devices of this system.
//!
//! ```sh
//! cargo run --package tools --bin devices
//! ```
//!
//! With `--porcelain` it writes one line for each device, its columns
//! separated by tabs, for programs to read: `gpu:INDEX`, name, platform,
//! kind (`GPU`, `accelerator`, `CPU`), compute units, bytes of global memory,
//! bytes of local memory, bytes of the largest buffer, version of OpenCL,
//! version of the driver. New columns come last.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{Bytes, devices};

fn main() -> ExitCode {
    rungrad::run(|| {
        let arguments = rungrad::args();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => table(),
            ["--porcelain"] => porcelain(),
            _ => Err(Error::Usage(format!(
                "devices takes no argument or --porcelain, not `{}`.",
                arguments.join(" ")
            ))),
        }
    })
}

fn table() -> Result<(), Error> {
    let found = devices()?;
    let longest = |name: fn(&rungrad::opencl::DeviceInfo) -> &str| {
        found.iter().map(|device| name(device).len()).max().unwrap_or(0)
    };
    let name = longest(|device| &device.name).max(6);
    let platform = longest(|device| &device.platform).max(8);
    println!(
        "{:<6}  {:<name$}  {:<platform$}  {:<11}  {:>5}  {:>9}  version",
        "", "device", "platform", "kind", "units", "memory"
    );
    for device in found {
        println!(
            "{:<6}  {:<name$}  {:<platform$}  {:<11}  {:>5}  {:>9}  OpenCL {}",
            format!("gpu:{}", device.index),
            device.name,
            device.platform,
            device.kind,
            device.compute_units,
            Bytes(device.global_memory),
            device.version,
        );
    }
    Ok(())
}

fn porcelain() -> Result<(), Error> {
    for device in devices()? {
        let columns = [
            format!("gpu:{}", device.index),
            device.name.clone(),
            device.platform.clone(),
            device.kind.to_string(),
            device.compute_units.to_string(),
            device.global_memory.to_string(),
            device.local_memory.to_string(),
            device.max_allocation.to_string(),
            device.version.clone(),
            device.driver.clone(),
        ];
        println!("{}", columns.map(|c| c.replace('\t', " ")).join("\t"));
    }
    Ok(())
}
