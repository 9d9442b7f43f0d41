//! The device of a test, or a loud skip.

// Not every test binary needs every function.
#![allow(dead_code)]

use std::io::Write;
use std::panic::Location;
use std::{env, thread};

use rungrad::opencl::{Gpu, devices};

/// The device that tests run on. Where there is none, the test is skipped
/// and says so, and fails if `RUNGRAD_REQUIRE_GPU=1`. A device that is there
/// and does not open is never a reason to skip.
#[track_caller]
pub(crate) fn gpu_or_skip() -> Option<Gpu> {
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
pub(crate) fn two_of_pocl() -> Option<&'static str> {
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
pub(crate) fn skip(what_is_missing: &str, sentence: &str) {
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
#[allow(dead_code, reason = "each test binary uses its share of this")]
#[track_caller]
pub(crate) fn skip_by_name(what_is_missing: &str) {
    say_skipped(&test_name(), &format!("there is no {what_is_missing}"));
}

/// Whether one of these files has changed; at night all have.
pub(crate) fn has_changed(is_its: impl Fn(&str) -> bool) -> bool {
    let changed = env::var("RUNGRAD_DAY").ok();
    changed.is_none_or(|it| it.lines().any(is_its))
}

/// Whether this test is left to a night, and says so on the standard error
/// stream. `cargo learn test` makes a day by `RUNGRAD_DAY`, in which each line
/// names a file that has changed: where one of them is the test's, it runs.
#[track_caller]
pub(crate) fn left_to_a_night(is_its: impl Fn(&str) -> bool) -> bool {
    let is_left = !has_changed(is_its);
    if is_left {
        say("LEFT", &test_name(), "nothing of its own has changed");
    }
    is_left
}

/// Says that a day leaves these of what a test looks at.
pub(crate) fn left_in_part(names: &[String]) {
    if !names.is_empty() {
        let why = "nothing of theirs has changed";
        say("LEFT", &test_name(), &format!("{} ({why})", names.join(", ")));
    }
}

/// Whether this test is left to another day of two weeks, and says so: where
/// nothing of its own has changed, it runs on one of them. The nights run it.
#[track_caller]
pub(crate) fn left_to_another_day(is_its: impl Fn(&str) -> bool) -> bool {
    let name = test_name();
    let is_left = day().is_some_and(|day| leaves(&name, &day, is_its));
    if is_left {
        say("LEFT", &name, "nothing of its own has changed");
    }
    is_left
}

/// Whether a day, on which these files have changed, leaves what has this name.
pub(crate) fn leaves(
    name: &str,
    (changed, today): &(String, usize),
    is_its: impl Fn(&str) -> bool,
) -> bool {
    let is_its_day = today % ROUND == place_in_round(name);
    !is_its_day && !changed.lines().any(is_its)
}

/// Of `all`, those that a test looks at today, and how many it leaves: of a
/// day's, where nothing of theirs has changed, every fourteenth, and in two weeks
/// all.
pub(crate) fn of_today<T>(
    all: Vec<T>,
    is_its: impl Fn(&str) -> bool,
) -> (Vec<T>, usize) {
    let Some((changed, today)) = day() else { return (all, 0) };
    if changed.lines().any(is_its) {
        return (all, 0);
    }
    let count = all.len();
    let round = count.clamp(1, ROUND);
    let some = all.into_iter().enumerate();
    let some = some.filter(|(at, _)| at % round == today % round);
    let some: Vec<T> = some.map(|(_, it)| it).collect();
    let left = count - some.len();
    (some, left)
}

/// The days in which all comes round.
const ROUND: usize = 14;

/// The files that have changed, a line for each, and the number of the day, by
/// `RUNGRAD_DAY` and `RUNGRAD_TODAY`; at night there is neither.
fn day() -> Option<(String, usize)> {
    let [changed, today] = ["RUNGRAD_DAY", "RUNGRAD_TODAY"].map(env::var);
    Some((changed.ok()?, today.ok()?.parse().ok()?))
}

/// Gives a name its day of them.
fn place_in_round(name: &str) -> usize {
    let bytes = name.bytes().map(usize::from);
    bytes.fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(byte))
        % ROUND
}

fn say_skipped(name: &str, why: &str) {
    say("SKIPPED", name, why);
}

fn say(word: &str, name: &str, why: &str) {
    let line = format!("{word} {name}: {why}\n");
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
