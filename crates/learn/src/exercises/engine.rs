//! Runs the learner's own engine: `cargo learn run my_engine` trains with it,
//! like any other exercise with levels, and `cargo learn try --engine mine`
//! tries an expression on it.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::course::{self, Exercise};
use crate::exercises::program;
use crate::process;
use crate::terminal::say;

/// The id of the exercise that is an engine.
const ID: &str = "my_engine";

/// Returns the exercise with levels that has this exact name.
pub(crate) fn find(checkout: &Checkout, name: &str) -> Option<Exercise> {
    let all = course::exercises(checkout).ok()?;
    all.into_iter().find(|it| it.has_levels() && it.id == name)
}

/// Trains on the digits with an optimized build.
pub(crate) fn train(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Result<(), Stop> {
    run(checkout, exercise, &["train".to_string()], true)
}

/// Tries an expression on the learner's engine.
pub(crate) fn attempt(
    checkout: &Checkout,
    words: &[String],
) -> Result<(), Stop> {
    let words = [&["try".to_string()], words].concat();
    let exercises = course::exercises(checkout)?;
    run(checkout, course::find(&exercises, ID)?, &words, false)
}

/// Builds the program of an exercise with levels and runs it in the
/// foreground, in the learner's current folder.
fn run(
    checkout: &Checkout,
    exercise: &Exercise,
    words: &[String],
    fast: bool,
) -> Result<(), Stop> {
    let place = checkout.shown(&checkout.exercises.join(&exercise.file));
    for _ in 0..program::ROUNDS {
        let program = build(checkout, exercise, fast)?;
        let mut command = Command::new(&program);
        command.args(words);
        if let Ok(folder) = env::current_dir() {
            command.current_dir(folder);
        }
        match process::run_in_foreground(&mut command) {
            Err(Stop::Said(program::STALE_CODE)) => {
                program::remove_stale(&program)?
            }
            ended => return ended,
        }
        say!("Compiling {place} again.");
    }
    Err(program::changing_file(&place))
}

/// Builds the check of an exercise, or prints why it does not compile.
pub(crate) fn build(
    checkout: &Checkout,
    exercise: &Exercise,
    fast: bool,
) -> Result<PathBuf, Stop> {
    let id = &exercise.id;
    let log = checkout.log(&format!("{id}-build"))?;
    let folder = &checkout.exercises;
    let built = match fast {
        true => program::build_fast(checkout, exercise, &log)?,
        false => program::build(checkout, folder, &[exercise], &log)?
            .map(|mut programs| programs.remove(0)),
    };
    built.ok_or_else(|| {
        for line in program::complaints(checkout, &log).iter().take(60) {
            say!("{line}");
        }
        let place = checkout.shown(&folder.join(&exercise.file));
        Stop::Failed(format!(
            "{place} does not compile; `cargo learn check {id}` says more"
        ))
    })
}
