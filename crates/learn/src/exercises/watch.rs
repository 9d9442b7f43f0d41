//! `cargo learn watch`: checks an exercise at each save, and continues with
//! the next when it is solved.
//!
//! It polls the files twenty times a second instead of using file
//! notifications. Polling needs no dependency and works in containers and on
//! network folders. An exercise has two files, so it costs next to nothing.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::status::{self, Status};
use crate::exercises::{check, hint};
use crate::keys::Keys;
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "watch",
    usage: "[EXERCISE]",
    summary: "check at each save, and continue with the next exercise",
    page: "\
Checks the exercise, or the next one without a name, and checks it again each
time its file is saved. When it is solved, the next unsolved exercise follows.
An exercise that cannot be checked on this machine is left for later. If you
name an exercise that is already solved, it stays until you have broken and
solved it again.

On a terminal, the key h shows the next hint, and n goes to the next exercise.
In the terminal of an editor, press Enter after the key. Ctrl-C ends the command
and any running check.",
    run,
};

/// The polling interval, which is also how long a file must stay unchanged,
/// because an editor may save in two steps.
const PAUSE: Duration = Duration::from_millis(50);

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let next = |done: &[&str]| {
        let progress = Progress::load(checkout);
        status::next(&exercises, &progress, checkout, done)
    };
    let named = ids.first();
    let mut current = match named {
        Some(id) => Some(course::find(&exercises, id)?),
        None => next(&[]),
    };
    let keys = Keys::open();
    let watch = Watch { checkout, exercises: &exercises, keys };
    let mut done = Vec::new();
    while let Some(exercise) = current {
        // An exercise that passes already is watched until it fails and passes
        // again.
        let stays = exercise.free || (named.is_some() && done.is_empty());
        watch.until_solved(exercise, stays)?;
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

/// Why waiting ended.
enum Event {
    Saved,
    Hint,
    Next,
}

struct Watch<'a> {
    checkout: &'a Checkout,
    exercises: &'a [Exercise],
    keys: Option<Keys>,
}

impl Watch<'_> {
    /// Checks the exercise at each save until it is solved, until this machine
    /// turns out to be unable to check it, or until the learner asks for the
    /// next one. If `stays`, it does not end just because the exercise was
    /// solved before.
    fn until_solved(
        &self,
        exercise: &Exercise,
        mut stays: bool,
    ) -> Result<(), Stop> {
        let file = self.checkout.exercises.join(&exercise.file);
        let place = self.checkout.shown(&file);
        let check = format!("exercises/checks/{}.rs", exercise.id);
        let files = [file, self.checkout.root.join(check)];
        say!("Watching {place}: each save is checked. Ctrl-C ends.");
        loop {
            say!();
            let before = snapshot(&files);
            match check::check_and_save(self.checkout, self.exercises, exercise)
            {
                Ok(Status::Skipped) => return Ok(()),
                Ok(status) if status.is_solved() && !stays => return Ok(()),
                Ok(status) if status.is_solved() => {
                    say!();
                    say!("It is already solved, so break it and look. When a");
                    say!("save is right again, the next exercise follows.");
                }
                Ok(_) => {}
                // A missing file may come back, and so may the network.
                Err(Stop::Failed(sentence)) => say!("{sentence}"),
                Err(stop) => return Err(stop),
            }
            stays = false;
            if !self.wait_for_save(exercise, &files, &before, &place)? {
                return Ok(());
            }
        }
    }

    /// Waits for the next save and shows hints in the meantime. Returns false
    /// if the learner asks for the next exercise.
    fn wait_for_save(
        &self,
        exercise: &Exercise,
        files: &[PathBuf],
        before: &Snapshot,
        place: &str,
    ) -> Result<bool, Stop> {
        if let Some(keys) = &self.keys {
            keys.discard();
        }
        loop {
            say!();
            say!("Waiting for the next save of {place}. Ctrl-C ends.");
            if let Some(keys) = &self.keys {
                say!(
                    "Keys: h a hint, n the next exercise{}.",
                    keys.enter_hint()
                );
            }
            match self.wait(files, before) {
                Event::Saved => return Ok(true),
                Event::Next => return Ok(false),
                Event::Hint => {
                    say!();
                    hint::show(self.checkout, exercise, None)?;
                }
            }
        }
    }

    /// Waits until the files have changed and are stable, or until a key with
    /// a meaning is pressed.
    fn wait(&self, files: &[PathBuf], before: &Snapshot) -> Event {
        let mut last = snapshot(files);
        loop {
            sleep(PAUSE);
            let now = snapshot(files);
            let is_there = now.first().is_some_and(Option::is_some);
            if is_there && now != *before && now == last {
                return Event::Saved;
            }
            last = now;
            match self.keys.as_ref().and_then(Keys::pressed) {
                Some('h') => return Event::Hint,
                Some('n') => return Event::Next,
                _ => {}
            }
        }
    }
}

/// Two saves differ in the time, so that saving without a change
/// counts, and the bytes, so that a change within one tick of a coarse clock
/// counts.
type Snapshot = Vec<Option<(SystemTime, Vec<u8>)>>;

fn snapshot(files: &[PathBuf]) -> Snapshot {
    let state = |file: &PathBuf| {
        let time = fs::metadata(file).and_then(|it| it.modified()).ok()?;
        Some((time, fs::read(file).ok()?))
    };
    files.iter().map(state).collect()
}
