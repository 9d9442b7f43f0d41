//! Lists the OpenCL devices of this system.
//!
//! ```sh
//! cargo run --package tools --bin devices
//! ```
//!
//! With `--run` it compiles and runs a kernel on each device, each in a
//! separate process, because a damaged driver may crash the process. It prints
//! one line for each device, `gpu:INDEX` and `ran` or an error message,
//! separated by a tab. For PoCL it also prints the line `cache`, with the
//! folder of its compiled kernels and the damaged file, if there is one.

use std::process::{Command, ExitCode};
use std::{env, io};

use rungrad::Error;
use rungrad::opencl::{
    Bytes, DEVICE_VARIABLE, Gpu, cache_damage, cache_failure, cache_folder,
    devices, probe,
};

fn main() -> ExitCode {
    rungrad::run(|| {
        let arguments = rungrad::args();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => table(),
            ["--run"] => run_on_each(),
            ["--run-here"] => probe(&Gpu::first()?),
            _ => Err(Error::Usage(format!(
                "devices takes no argument or --run, not `{}`.",
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

fn run_on_each() -> Result<(), Error> {
    let found = devices()?;
    let is_pocl = |it: &str| it.contains("Portable Computing Language");
    if found.iter().any(|device| is_pocl(&device.platform)) {
        let damage = cache_damage().map(|it| format!(". {it}"));
        let damage = damage.unwrap_or_default();
        println!("cache\t{}{damage}", cache_folder().display());
    }
    for device in found {
        let name = format!("gpu:{}", device.index);
        let result = run_on(&name).unwrap_or_else(|error| error.to_string());
        println!("{name}\t{result}");
    }
    Ok(())
}

/// Runs a kernel on one device in a child process, and returns `ran` or the
/// error message.
fn run_on(device: &str) -> io::Result<String> {
    let mut child = Command::new(env::current_exe()?);
    child.arg("--run-here").env(DEVICE_VARIABLE, device);
    let output = child.output()?;
    if output.status.success() {
        return Ok("ran".to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    Ok(cache_failure(&said).unwrap_or_else(|| {
        format!(
            "The process ended with {}: {}",
            output.status,
            last.unwrap_or("the driver does not say why.").trim()
        )
    }))
}
