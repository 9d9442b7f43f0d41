//! The device of a check.

use std::fs;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::Gpu;

use crate::answer::Answer;
use crate::frame::{Kind, Step, frame};
use crate::hole::no_hole;
use crate::report::shown;
use crate::token::say;
use crate::verdict::Stop;

/// Runs the `main` of the check of a Rust exercise that computes on a device.
pub fn check_on_device(
    id: &'static str,
    file: Answer,
    steps: &[Step<Gpu>],
) -> ExitCode {
    frame(id, file, Kind::Code, None, |_| open(id, file.path), steps)
}

/// Refuses a hole, also where there is no device; where there is one, the
/// steps go as far as they get.
fn open(id: &str, file: &str) -> Result<Gpu, Stop> {
    let opened = Gpu::first();
    if opened.is_err() {
        let text = fs::read_to_string(file).unwrap_or_default();
        no_hole(id, &shown(file), &text)?;
    }
    let gpu = opened.map_err(absent)?;
    name_device(&gpu);
    Ok(gpu)
}

/// Names the device on which a verdict was found.
pub(crate) fn name_device(gpu: &Gpu) {
    let device = gpu.info();
    let (index, name) = (device.index, &device.name);
    say(&format!("  on gpu:{index}, {name} ({})", device.kind));
}

/// Skips on a machine without OpenCL; where it is required, that is a failure.
/// A device that was asked for by name and is not there is one too.
pub(crate) fn absent(error: Error) -> Stop {
    let required = std::env::var_os("RUNGRAD_REQUIRE_GPU");
    let required = required.is_some_and(|value| value == "1");
    match error {
        Error::NoOpenCl(why) if !required => Stop::Skipped(why),
        other => other.into(),
    }
}
