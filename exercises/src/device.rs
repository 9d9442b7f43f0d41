//! The device of a check.

use std::fs;
use std::process::ExitCode;
use std::sync::Once;

use rungrad::Error;
use rungrad::opencl::Gpu;

use crate::answer::Answer;
use crate::frame::{Kind, Role, Step, frame};
use crate::hole::no_hole;
use crate::oclgrind::is_simulated;
use crate::report::shown;
use crate::token::say;
use crate::verdict::Stop;

/// The `main` function of a check whose exercise computes on a device.
pub fn check_on_device(
    id: &'static str,
    file: Answer,
    steps: &[Step<Gpu>],
) -> ExitCode {
    frame(id, file, Kind::Code, None, |role| open(id, file.path, role), steps)
}

/// The `main` function of a check whose exercise is a Rust file with the
/// source of the kernel `name`. After the steps have passed, they run again
/// under Oclgrind, which reports stray accesses and data races of that kernel.
pub fn check_kernel_text(
    id: &'static str,
    file: Answer,
    name: &'static str,
    steps: &[Step<Gpu>],
) -> ExitCode {
    let kind = Kind::KernelText(name);
    frame(id, file, kind, None, |role| open(id, file.path, role), steps)
}

/// Opens the device of a check. Without a device, a TODO in the file is
/// reported first; with one, the steps run until they reach it.
fn open(id: &str, file: &str, role: Role) -> Result<Gpu, Stop> {
    opened(role).or_else(|stop| {
        let text = fs::read_to_string(file).unwrap_or_default();
        no_hole(id, &shown(file), &text)?;
        Err(stop)
    })
}

/// Opens the device of a check.
pub(crate) fn opened(role: Role) -> Result<Gpu, Stop> {
    let gpu = Gpu::first().map_err(absent)?;
    // If the simulator was not used, its log would be empty, like that of a
    // clean run.
    if role == Role::Simulated && !is_simulated(&gpu) {
        let why = format!("{} ran in its place", gpu.info().name);
        return Err(Stop::Skipped(why));
    }
    name_device(&gpu);
    Ok(gpu)
}

/// Prints the device of a verdict, once per process.
pub(crate) fn name_device(gpu: &Gpu) {
    static NAMED: Once = Once::new();
    let device = gpu.info();
    let (index, name) = (device.index, &device.name);
    let line = format!("  on gpu:{index}, {name} ({})", device.kind);
    NAMED.call_once(|| say(&line));
}

/// Returns a skip, or a failure if a device is required. A device that was
/// requested by name and does not exist is a failure too.
pub(crate) fn absent(error: Error) -> Stop {
    match error {
        Error::NoOpenCl(why) if !is_required() => Stop::Skipped(why),
        other => other.into(),
    }
}

/// Returns whether a check without a working device fails instead of being
/// skipped.
pub(crate) fn is_required() -> bool {
    let required = std::env::var_os("RUNGRAD_REQUIRE_GPU");
    required.is_some_and(|value| value == "1")
}
