//! The device of a test, or a loud skip.

use std::io::Write;
use std::panic::Location;
use std::{env, thread};

use rungrad::opencl::{Gpu, devices};

/// The device that tests run on. Where there is none, the test is skipped
/// and says so, and fails if `RUNGRAD_REQUIRE_GPU=1`. A device that is there
/// and does not open is never a reason to skip.
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

/// Returns what lets PoCL show two devices, where it has shown one: their
/// names, of which later versions have others. `None` where there is no PoCL.
pub fn two_of_pocl() -> Option<&'static str> {
    let is_pocl = |platform: &str| platform.contains("Portable Computing");
    let found = devices().ok()?.iter().find(|it| is_pocl(&it.platform))?;
    let of_old = ["pthread", "basic"];
    Some(match of_old.iter().any(|name| found.name.starts_with(name)) {
        true => "pthread basic",
        false => "cpu cpu-minimal",
    })
}

/// Says on the standard error stream that this test is skipped, or fails
/// with `sentence` where nothing may be skipped.
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
    say_skipped(&name, &why);
}

/// Says on the standard error stream that this test is skipped, for want of
/// something that no machine has to have.
#[track_caller]
pub fn skip_by_name(what_is_missing: &str) {
    say_skipped(&test_name(), &format!("there is no {what_is_missing}"));
}

fn say_skipped(name: &str, why: &str) {
    let line = format!("SKIPPED {name}: {why}\n");
    // The test harness captures what `eprintln!` writes, not the stream.
    std::io::stderr().write_all(line.as_bytes()).expect("stderr is open");
}

/// The harness names the thread of a test after it. With one thread for all
/// tests there is no such name, and the place has to do.
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
