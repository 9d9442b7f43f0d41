//! `cargo learn watch`: a check at each save, exercise after exercise.
//!
//! It looks at the files twenty times a second instead of asking the system to
//! be told: that takes no dependency, and works in containers and on network
//! folders. An exercise has two files, so looking costs next to nothing.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course::{self, Exercise};
use crate::exercises::check;
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "watch",
    usage: "[EXERCISE]",
    summary: "check at each save, and go on when an exercise is solved",
    page: "\
Checks the exercise, without a name the next one, and again each time its file
is saved. When it is solved, it goes on to the next that is open; an exercise
that cannot be checked on this machine is left for later. Ctrl-C ends it, and a
check that runs at that moment with it.",
    run,
};

/// How often it looks, and how long a file must stand still: an editor may
/// save in two steps.
const PAUSE: Duration = Duration::from_millis(50);

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    let (ids, _) = Words::new(COMMAND.name, args).rest(1)?;
    let exercises = course::exercises(checkout)?;
    let next = |done: &[&str]| {
        let progress = Progress::load(checkout);
        status::next(&exercises, &progress, checkout, done)
    };
    let mut current = match ids.first() {
        Some(id) => Some(course::find(&exercises, id)?),
        None => next(&[]),
    };
    let mut done = Vec::new();
    while let Some(exercise) = current {
        until_solved(checkout, &exercises, exercise)?;
        say!();
        done.push(exercise.id.as_str());
        current = next(&done);
    }
    let progress = Progress::load(checkout);
    match status::next(&exercises, &progress, checkout, &[]) {
        None => say!("Every exercise is solved. Well done."),
        Some(_) => {
            say!("No other exercise can be checked now. What is open:");
            say!("  cargo learn list");
        }
    }
    Ok(())
}

/// Checks the exercise at each save until it is solved, or until it turns out
/// that this machine cannot check it.
fn until_solved(
    checkout: &Checkout,
    exercises: &[Exercise],
    exercise: &Exercise,
) -> Result<(), Stop> {
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    let check = format!("exercises/checks/{}.rs", exercise.id);
    let files = [file, checkout.root.join(check)];
    say!("Watching {place}: each save is checked. Ctrl-C ends.");
    loop {
        say!();
        let before = snapshot(&files);
        match check::examine(checkout, exercises, exercise) {
            Ok(status) if status.is_solved() => return Ok(()),
            Ok(Status::Skipped) => return Ok(()),
            Ok(_) => {}
            // A file that is missing may come back, and so may the network.
            Err(Stop::Failed(sentence)) => say!("{sentence}"),
            Err(stop) => return Err(stop),
        }
        say!();
        say!("Waiting for the next save of {place}. Ctrl-C ends.");
        wait(&files, &before);
    }
}

/// What tells one save from another: a save without a change counts too, and
/// so does a change within one tick of a coarse clock.
type Snapshot = Vec<Option<(SystemTime, Vec<u8>)>>;

fn snapshot(files: &[PathBuf]) -> Snapshot {
    let one = |file: &PathBuf| {
        let time = fs::metadata(file).and_then(|it| it.modified()).ok()?;
        Some((time, fs::read(file).ok()?))
    };
    files.iter().map(one).collect()
}

/// Waits until the files have changed and stand still.
fn wait(files: &[PathBuf], before: &Snapshot) {
    let mut last = snapshot(files);
    loop {
        sleep(PAUSE);
        let now = snapshot(files);
        let is_there = now.first().is_some_and(Option::is_some);
        if is_there && now != *before && now == last {
            return;
        }
        last = now;
    }
}
