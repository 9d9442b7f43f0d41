//! The device of a check.

use std::fs;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::Gpu;

use crate::frame::{Kind, Step, frame};
use crate::report::shown;
use crate::token::say;
use crate::verdict::{Outcome, Stop};

/// Runs the `main` of the check of a Rust exercise that computes on a device.
/// `file` is the learner's.
pub fn check_on_device(
    id: &'static str,
    file: &'static str,
    steps: &[Step<Gpu>],
) -> ExitCode {
    frame(id, file, Kind::Code, None, |_| open(id, file), steps)
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

/// Tells whether no hole is left in the text of the file at `place`.
pub(crate) fn no_hole(id: &str, place: &str, text: &str) -> Outcome {
    let Some((line, rest)) = find(text, &format!("TODO({id})")) else {
        return Ok(());
    };
    // A comment in OpenCL C ends so, and a `todo!` in Rust.
    let task = rest.split("*/").next().unwrap_or_default();
    let task = task.split("\")").next().unwrap_or_default().trim();
    Err(Stop::ToDo(format!("{place}:{line} still says {task}")))
}

/// Finds the line, counted from 1, that holds `words`, from the words on. A
/// line of the stub in one of our solutions is no hole.
fn find<'a>(text: &'a str, words: &str) -> Option<(usize, &'a str)> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//|"));
    lines.find_map(|(at, line)| {
        let start = line.find(words)?;
        Some((at + 1, &line[start..]))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_told_with_its_line_and_its_task() {
        let told = |text| match no_hole("x", "f", text) {
            Err(Stop::ToDo(words)) => words,
            other => format!("{other:?}"),
        };
        assert_eq!(
            told("kernel\n  /* TODO(x): a guard */\n"),
            "f:2 still says TODO(x): a guard"
        );
        assert_eq!(
            told("    todo!(\"TODO(x): f(a) * b\")\n"),
            "f:1 still says TODO(x): f(a) * b"
        );
        assert!(no_hole("y", "f", "/* TODO(x): a guard */").is_ok());
        assert!(no_hole("x", "f", "//| todo!(\"TODO(x)\")").is_ok());
    }
}
