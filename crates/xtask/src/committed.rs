//! `cargo xtask verify --committed`: checks that every answer is formatted and
//! free of warnings, and that every file belongs to an exercise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::verify::Variant;
use learn::checkout::{Checkout, cannot_write};
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::program::FOLDER;
use learn::exercises::stub::SolutionFile;
use learn::process::{self, Ending};

/// An exercise and all variants of its file.
type Row<'a> = (&'a Exercise, &'a Vec<Variant>);

/// Lists everything that is wrong with the files of the tree. `folder` is a
/// scratch folder. Files that belong to no exercise are found only if `rows`
/// contains all exercises.
pub(crate) fn faults(
    checkout: &Checkout,
    rows: &[Row],
    are_all: bool,
    folder: &Path,
) -> Result<Vec<String>, Stop> {
    let mut faults = Vec::new();
    let mut stubs = Vec::new();
    let mut solutions = Vec::new();
    for (exercise, _) in rows {
        let solution = SolutionFile::read(checkout, exercise)?;
        stubs.push((*exercise, solution.stub));
        solutions.push((*exercise, solution.plain));
    }
    if are_all {
        faults.extend(strays(checkout, rows));
    }
    faults.extend(unformatted(checkout, rows, folder)?);
    faults.extend(lints(checkout, "stubs", &stubs, folder)?);
    faults.extend(lints(checkout, "solutions", &solutions, folder)?);
    Ok(faults)
}

fn write(file: &Path, text: &str) -> Result<(), Stop> {
    fs::create_dir_all(file.parent().unwrap_or(file))
        .and_then(|()| fs::write(file, text))
        .map_err(|error| cannot_write(file, &error))
}

/// Lists the files that belong to no exercise.
fn strays(checkout: &Checkout, rows: &[Row]) -> Vec<String> {
    let course = checkout.root.join("exercises");
    let mut known = BTreeSet::new();
    for (Exercise { id, file, right, .. }, _) in rows {
        known.insert(course.join("solutions").join(file));
        known.insert(course.join(format!("checks/{id}.rs")));
        known.insert(course.join(format!("wrong/{id}.diff")));
        let folder = course.join("right").join(id);
        known.extend(right.iter().map(|it| folder.join(it)));
    }
    let folders = ["checks", "solutions", "right", "wrong"];
    let mut open: Vec<PathBuf> =
        folders.iter().map(|it| course.join(it)).collect();
    let mut strays = Vec::new();
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            open.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.exists() && !known.contains(&path) {
            let file = checkout.shown(&path);
            strays.push(format!("{file}: no row of exercises.toml names it"));
        }
    }
    strays
}

/// Lists the stubs and right answers that are not formatted. `cargo fmt` skips
/// them, because they are not modules of any crate.
fn unformatted(
    checkout: &Checkout,
    rows: &[Row],
    folder: &Path,
) -> Result<Vec<String>, Stop> {
    let mut names = Vec::new();
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--check", "-l"]);
    command.arg("--config-path").arg(checkout.root.join("rustfmt.toml"));
    let is_rust = |it: &&Row| it.0.file.ends_with(".rs");
    for (exercise, variants) in rows.iter().filter(is_rust) {
        let right = variants.iter().filter(|it| !it.is_wrong());
        for (number, variant) in right.enumerate() {
            let name = format!("format/{}-{number}.rs", exercise.id);
            let file = folder.join(&name);
            write(&file, &variant.text)?;
            command.arg(file);
            names.push((name, &variant.name));
        }
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let log = checkout.log("verify-format")?;
    let limit = Duration::from_secs(60);
    let what = "checking the format of the exercises";
    let ending = process::run_with_status(what, &mut command, &log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(Vec::new());
    }
    let said = fs::read_to_string(&log).unwrap_or_default();
    let named = names.iter().filter(|(name, _)| said.contains(name));
    let faults: Vec<String> =
        named.map(|(_, name)| format!("{name} is not formatted")).collect();
    Ok(match faults.is_empty() {
        true => vec![process::failure_message("rustfmt", &ending)],
        false => faults,
    })
}

/// Lists the warnings in the checks with these answers. `--all-targets` of the
/// other lints does not cover the checks.
fn lints(
    checkout: &Checkout,
    whose: &str,
    answers: &[(&Exercise, String)],
    folder: &Path,
) -> Result<Option<String>, Stop> {
    let mut command = checkout.cargo(&["clippy"]);
    let packages: BTreeSet<&str> =
        answers.iter().map(|(it, _)| it.package()).collect();
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(["--features", "elsewhere"]).env(FOLDER, folder);
    for (exercise, text) in answers {
        write(&folder.join(&exercise.file), text)?;
        command.args(["--test", &exercise.id]);
    }
    command.args(["--", "-D", "warnings"]);
    let log = checkout.log(&format!("verify-lints-{whose}"))?;
    let what = format!("linting the checks with the {whose}");
    let limit = Duration::from_secs(900);
    let ending = process::run_with_status(&what, &mut command, &log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(None);
    }
    let lines = process::excerpt(&log, 12).join("\n  ");
    let complaint = process::failure_message(&what, &ending);
    Ok(Some(format!("{complaint}\n  {lines}")))
}
