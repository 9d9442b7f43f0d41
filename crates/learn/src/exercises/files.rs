//! The learner's files. Git ignores them, so an update of the course never
//! conflicts with what a learner wrote.
//!
//! A file begins as the stub of its exercise, which is generated from the
//! solution. `.learn/stubs/` has a copy of the stub that each file began with.
//! A file that equals its copy is replaced by the stub of a new edition. Any
//! other file is kept.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::checkout::{Checkout, replace};
use crate::course::{self, Exercise};
use crate::exercises::status::Status;
use crate::exercises::stub::SolutionFile;
use crate::progress::Progress;
use crate::terminal::{say, wrapped};

/// Creates missing files, updates untouched ones, and prints the exercises
/// that are new since the last command. Errors are ignored, because the
/// command that needs a file reports them.
pub(crate) fn refresh(checkout: &Checkout) {
    let Ok(exercises) = course::exercises(checkout) else { return };
    let progress = Progress::load(checkout);
    let is_first = !copies(checkout).is_dir();
    let mut new = Vec::new();
    for exercise in &exercises {
        let copy = copy(checkout, exercise);
        let began = read(&copy).unwrap_or_default();
        if began.is_none() && !is_first {
            new.push(exercise.id.as_str());
        }
        let Ok(SolutionFile { stub, .. }) =
            SolutionFile::read(checkout, exercise)
        else {
            continue;
        };
        let file = checkout.exercises.join(&exercise.file);
        let Ok(yours) = read(&file) else { continue };
        let follows = match (&yours, &began) {
            (None, _) => true,
            (Some(yours), Some(began)) => yours == began && *yours != stub,
            (Some(_), None) => false,
        };
        if follows && replace(&file, stub.as_bytes()).is_err() {
            continue;
        }
        // A changed task no longer matters if the file passes its check.
        let is_settled = follows
            || began.is_none()
            || yours.as_deref() == Some(stub.as_str())
            || Status::saved(exercise, &progress, checkout).is_solved();
        if is_settled && began.as_deref() != Some(stub.as_str()) {
            let _ = replace(&copy, stub.as_bytes());
        }
    }
    if !new.is_empty() {
        let words = format!("New exercises: {}.", new.join(", "));
        wrapped(&words).iter().for_each(|line| say!("{line}"));
        say!();
    }
}

/// Returns the stub that the learner began with and the current one, if they
/// differ.
pub(crate) fn changed_task(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Option<(String, String)> {
    let began = read(&copy(checkout, exercise)).ok()??;
    let stub = SolutionFile::read(checkout, exercise).ok()?.stub;
    (began != stub).then_some((began, stub))
}

fn copies(checkout: &Checkout) -> PathBuf {
    checkout.state_folder().join("stubs")
}

fn copy(checkout: &Checkout, exercise: &Exercise) -> PathBuf {
    copies(checkout).join(&exercise.file)
}

/// Reads a file, which may be missing.
fn read(file: &Path) -> Result<Option<String>, ()> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(_) => Err(()),
    }
}
