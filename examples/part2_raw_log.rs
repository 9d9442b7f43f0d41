//! Three things that every author of kernels meets: the compiler's log, a line
//! from `printf`, and an error that surfaces after the launch has returned.

// The bug of `stray` is one that the host cannot detect.
#![allow(unsafe_code)]

use std::env;
use std::process::{Command, ExitCode, Stdio};

use rungrad::Error;
use rungrad::opencl::{Buffer, Gpu, Source};

// ANCHOR: raw-log-kernels
const MISSPELLED: &str = "\
kernel void misspelled(global float *out)
{
    uint i = get_global_id(0);
    out[i] = sqroot(2.0f);
}
";

const TALKING: &str = r#"
kernel void talking(global float *out)
{
    uint i = get_global_id(0);
    out[i] = 0.5f * i;
    if (i == 3)
        printf("item %u writes %.1f\n", i, out[i]);
}
"#;

const STRAY: &str = "\
kernel void stray(global float *out)
{
    uint i = get_global_id(0);
    float x = i;
    for (uint step = 0; step < 300000000; step++)
        x = x * 0.5f + 1.0f;
    out[i + (1ul << 40)] = x;
}
";
// ANCHOR_END: raw-log-kernels

fn main() -> ExitCode {
    let words = rungrad::args().join(" ");
    rungrad::run(|| match words.as_str() {
        "" => log_and_printf(),
        "late" => late(),
        "stray" => stray(&Gpu::first()?),
        _ => Err(Error::Usage(
            "part2_raw_log takes no argument, or `late`.".into(),
        )),
    })
}

fn log_and_printf() -> Result<(), Error> {
    let gpu = Gpu::first()?;
    if let Err(error) = launch(&gpu, "misspelled", MISSPELLED) {
        println!("{error}\n");
    }
    launch(&gpu, "talking", TALKING)?;
    gpu.finish()
}

/// Runs `stray` in a child process, because some drivers end the process.
fn late() -> Result<(), Error> {
    let broken = |error| Error::Device(format!("cannot start: {error}"));
    let program = env::current_exe().map_err(broken)?;
    let ended = Command::new(program)
        .arg("stray")
        .stderr(Stdio::null())
        .status()
        .map_err(broken)?;
    println!("the process ended with {ended}");
    Ok(())
}

// ANCHOR: raw-stray
fn stray(gpu: &Gpu) -> Result<(), Error> {
    let other = gpu.upload(&[2.0_f32])?;
    launch(gpu, "stray", STRAY)?;
    println!("the launch has returned, and reports no error");
    match other.read() {
        Ok(values) => println!("the other buffer holds {values:?}"),
        Err(error) => println!("reading another buffer: {error}"),
    }
    Ok(())
}
// ANCHOR_END: raw-stray

/// Launches a kernel of one group of four items.
fn launch(gpu: &Gpu, name: &str, text: &str) -> Result<Buffer<f32>, Error> {
    let source = Source::new(&format!("{name}.cl"), text, name);
    let out = gpu.allocate(4)?;
    let launch = gpu.launch_source(&source).output(&out, 4).global(4).local(4);
    // SAFETY: `stray` breaks its promise on purpose, in a child process.
    unsafe { launch.run() }?;
    Ok(out)
}
