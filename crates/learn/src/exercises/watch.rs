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
use crate::exercises::{check, hint, list, predict, solution};
use crate::keys::Keys;
use crate::predictions::{Prediction, parse_number};
use crate::progress::Progress;
use crate::terminal::{self, say, wrapped, write_out};

pub(crate) const COMMAND: Command = Command {
    name: "watch",
    usage: "[EXERCISE or FILE]",
    summary: "check at each save, and continue with the next exercise",
    page: "\
Checks the exercise, or the next one without a name, and checks it again each
time its file is saved.

On a terminal, a solved exercise stays on the screen until you press n for the
next one. The keys are:

  h  hint                      s  solution, once yours passes
  n  next exercise             p  predict a number of this chapter
  r  run the check again       q  quit
  l  list all exercises        ?  show what the keys do

In the terminal of an editor, press Enter after the key. Ctrl-C ends the command
and any running check.

Without a terminal, the next exercise follows as soon as one is solved or cannot
be checked on this machine. If you name an exercise that is already solved, it
stays until you have broken and solved it again.",
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
        if let Goes::Away = watch.until_solved(exercise, stays)? {
            return Ok(());
        }
        say!();
        done.push(exercise.id.as_str());
        current = next(&done);
    }
    let progress = Progress::load(checkout);
    match status::next(&exercises, &progress, checkout, &[]) {
        None => say!("Every exercise is solved. Well done."),
        Some(_) => {
            say!("No other exercise can be checked now. To see what is open:");
            say!("  cargo learn list");
        }
    }
    Ok(())
}

/// Why waiting ended.
enum Event {
    Saved,
    Key(char),
}

/// Where the learner goes from an exercise.
enum Goes {
    /// To the next exercise.
    On,
    /// Back to the shell.
    Away,
}

struct Watch<'a> {
    checkout: &'a Checkout,
    exercises: &'a [Exercise],
    keys: Option<Keys>,
}

impl Watch<'_> {
    /// Checks the exercise at each save until the learner presses a key to
    /// leave it. Without keys, it ends when the exercise is solved or cannot
    /// be checked on this machine; if `stays`, not just because the exercise
    /// was solved before.
    fn until_solved(
        &self,
        exercise: &Exercise,
        mut stays: bool,
    ) -> Result<Goes, Stop> {
        let file = self.checkout.exercises.join(&exercise.file);
        let place = self.checkout.shown(&file);
        let [program, steps] = status::check_files(exercise, self.checkout);
        let files = [file, program, steps];
        loop {
            terminal::clear();
            say!("Watching {place}");
            say!();
            let before = snapshot(&files);
            let checked =
                check::check_and_save(self.checkout, self.exercises, exercise);
            let status = match checked {
                Ok(status) => Some(status),
                // A missing file may come back, and so may the network.
                Err(Stop::Failed(sentence)) => {
                    say!("{sentence}");
                    None
                }
                Err(stop) => return Err(stop),
            };
            let is_solved = status.is_some_and(Status::is_solved);
            if self.keys.is_none() {
                let is_over = is_solved || status == Some(Status::Skipped);
                if is_over && !(is_solved && stays) {
                    return Ok(Goes::On);
                }
                if is_solved {
                    say!();
                    say!(
                        "This exercise is already solved. Break it and watch;"
                    );
                    say!("once it passes again, the next exercise follows.");
                }
            }
            stays = false;
            let goes =
                self.wait_for_save(exercise, status, &files, &before, &place)?;
            if let Some(goes) = goes {
                return Ok(goes);
            }
        }
    }

    /// Waits for the next save or for a key that asks for the check, and
    /// answers other keys in the meantime. Returns where the learner goes, if
    /// the exercise is to be left.
    fn wait_for_save(
        &self,
        exercise: &Exercise,
        status: Option<Status>,
        files: &[PathBuf],
        before: &Snapshot,
        place: &str,
    ) -> Result<Option<Goes>, Stop> {
        if let Some(keys) = &self.keys {
            keys.discard();
        }
        let mut asks = true;
        loop {
            let question =
                predict::open_question(self.checkout, &exercise.chapter);
            let is_solved = status.is_some_and(Status::is_solved);
            if asks {
                say!();
                self.say_status(exercise, status, place);
                self.say_keys(is_solved, question.is_some());
            }
            asks = true;
            match self.wait(files, before) {
                Event::Saved | Event::Key('r') => return Ok(None),
                Event::Key('n') => return Ok(Some(Goes::On)),
                Event::Key('q') => return Ok(Some(Goes::Away)),
                Event::Key('h') => {
                    say!();
                    hint::show(self.checkout, exercise, None, None)?;
                }
                Event::Key('l') => {
                    say!();
                    list::show(self.checkout, None)?;
                }
                Event::Key('s') if is_solved => {
                    say!();
                    solution::show(self.checkout, exercise, None)?;
                }
                Event::Key('s') => {
                    say!("The solution is shown once yours passes; h = hint");
                    asks = false;
                }
                Event::Key('p') => match question {
                    Some(question) => self.predict(&question)?,
                    None => {
                        say!("This chapter has no open question.");
                        asks = false;
                    }
                },
                Event::Key('?') => {
                    say!();
                    say!("{}", COMMAND.page);
                }
                Event::Key(key) => {
                    say!(
                        "The key {key} does nothing; ? shows what the keys do"
                    );
                    asks = false;
                }
            }
        }
    }

    /// Prints the verdict in one line, because the first lines of a long one
    /// may have left the screen, and what is watched.
    fn say_status(
        &self,
        exercise: &Exercise,
        status: Option<Status>,
        place: &str,
    ) {
        if let Some(status) = status.filter(|_| self.keys.is_some()) {
            terminal::print_verdict(&format!(
                "{}: {}",
                status.in_a_verdict(),
                exercise.id
            ));
        }
        let words = format!("Checking {place} on every save. Ctrl-C to quit.");
        wrapped(&words).iter().for_each(|line| say!("{line}"));
    }

    fn say_keys(&self, is_solved: bool, has_question: bool) {
        let Some(keys) = &self.keys else { return };
        let mut words = vec!["n = next exercise", "h = hint", "r = run again"];
        if is_solved {
            words.push("s = solution");
        }
        if has_question {
            words.push("p = predict");
        }
        words.extend(["l = list", "q = quit", "? = help"]);
        let words = format!("Keys: {}{}", words.join(", "), keys.enter_hint());
        wrapped(&words).iter().for_each(|line| say!("{line}"));
    }

    /// Asks a question of the chapter.
    fn predict(&self, question: &Prediction) -> Result<(), Stop> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let read = || loop {
            write_out("Your number (Esc to skip): ");
            let line = keys.read_line().ok_or(Stop::Said(0))?;
            match parse_number(&line) {
                Some(number) => return Ok(number),
                None => say!("{}", predict::NOT_A_NUMBER),
            }
        };
        say!();
        match predict::ask(self.checkout, question, read) {
            Err(Stop::Said(0)) => Ok(()),
            Err(Stop::Failed(sentence)) => {
                say!("{sentence}");
                Ok(())
            }
            other => other,
        }
    }

    /// Waits until the files have changed and are stable, or until a key is
    /// pressed.
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
            if let Some(key) = self.keys.as_ref().and_then(Keys::pressed) {
                return Event::Key(key.to_ascii_lowercase());
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
