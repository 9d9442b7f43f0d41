//! The device of a test, or a printed skip.

use std::io::Write;
use std::panic::Location;
use std::{env, thread};

use rungrad::opencl::{Gpu, devices};

/// Returns the device that tests run on. Without one, it prints that the test
/// is skipped, or fails with `RUNGRAD_REQUIRE_GPU=1`. A device that exists and
/// cannot be opened is always a failure.
#[track_caller]
pub fn gpu_or_skip() -> Option<Gpu> {
    match Gpu::first() {
        Ok(gpu) => Some(gpu),
        Err(rungrad::Error::NoOpenCl(sentence)) => {
            skip("no OpenCL device", &sentence);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Returns the setting of `POCL_DEVICES` that makes PoCL show two devices. The
/// names of its devices depend on the version. `None` without PoCL.
pub fn two_pocl_devices() -> Option<&'static str> {
    let is_pocl = |platform: &str| platform.contains("Portable Computing");
    let found = devices().ok()?.iter().find(|it| is_pocl(&it.platform))?;
    let of_old = ["pthread", "basic"];
    Some(match of_old.iter().any(|name| found.name.starts_with(name)) {
        true => "pthread basic",
        false => "cpu cpu-minimal",
    })
}

/// Prints that this test is skipped, or fails with `sentence` if skips are not
/// allowed.
#[track_caller]
pub fn skip(what_is_missing: &str, sentence: &str) {
    let name = test_name();
    let strict = env::var("RUNGRAD_REQUIRE_GPU").is_ok_and(|v| v == "1");
    if strict {
        panic!("RUNGRAD_REQUIRE_GPU=1 and {what_is_missing}: {sentence}");
    }
    let why = format!(
        "{what_is_missing} (set RUNGRAD_REQUIRE_GPU=1 to make this a failure)"
    );
    print_skipped(&name, &why);
}

/// Prints that this test is skipped, because something optional is missing.
#[track_caller]
pub fn skip_by_name(what_is_missing: &str) {
    print_skipped(&test_name(), &format!("there is no {what_is_missing}"));
}

fn print_skipped(name: &str, why: &str) {
    let line = format!("SKIPPED {name}: {why}\n");
    // The test harness captures `eprintln!`, but not writes to the stream.
    std::io::stderr().write_all(line.as_bytes()).expect("stderr is open");
}

/// The harness names the thread of a test after the test. With a single test
/// thread this name is missing, so the location is used.
#[track_caller]
fn test_name() -> String {
    match thread::current().name() {
        Some(name) if name != "main" => name.to_owned(),
        _ => {
            let place = Location::caller();
            format!("{}:{}", place.file(), place.line())
        }
    }
}
