//! `cargo xtask verify --committed`: what stands in the tree is what is
//! generated, formatted and known.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use learn::checkout::{Checkout, cannot_write};
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::program::FOLDER;
use learn::exercises::stub::SolutionFile;
use learn::process::{self, Ending};

/// Lists everything that is wrong with the files of the tree. `bench` is a
/// folder that is free to hold solutions for the lints. Only who has all
/// exercises can say which files belong to none.
pub(crate) fn faults(
    checkout: &Checkout,
    exercises: &[Exercise],
    are_all: bool,
    bench: &Path,
) -> Result<Vec<String>, Stop> {
    let mut faults = stubs(checkout, exercises)?;
    if are_all {
        faults.extend(strays(checkout, exercises));
    }
    faults.extend(unformatted(checkout, exercises, bench)?);
    for face in [Face::Stub, Face::Plain] {
        faults.extend(lints(checkout, exercises, bench, face)?);
    }
    Ok(faults)
}

/// Lists the stubs that are not what their solutions generate.
fn stubs(
    checkout: &Checkout,
    exercises: &[Exercise],
) -> Result<Vec<String>, Stop> {
    let update = env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut faults = Vec::new();
    for exercise in exercises {
        let stub = SolutionFile::read(checkout, exercise)?.stub;
        let file = checkout.root.join("exercises").join(&exercise.file);
        let found = fs::read_to_string(&file).unwrap_or_default();
        if found == stub {
            continue;
        }
        if update {
            let folder = file.parent().unwrap_or(&checkout.root);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, stub))
                .map_err(|error| cannot_write(&file, &error))?;
            continue;
        }
        faults.push(format!(
            "{}: this is not the stub that the solution generates; \
             UPDATE=1 cargo xtask verify --committed writes it",
            checkout.shown(&file)
        ));
    }
    Ok(faults)
}

/// Lists the files that belong to no exercise.
fn strays(checkout: &Checkout, exercises: &[Exercise]) -> Vec<String> {
    let course = checkout.root.join("exercises");
    let mut known = BTreeSet::new();
    for exercise in exercises {
        let Exercise { id, file, right, .. } = exercise;
        known.insert(course.join(file));
        known.insert(course.join("solutions").join(file));
        known.insert(course.join("checks").join(format!("{id}.rs")));
        if exercise.again.is_some() {
            known.insert(course.join("solutions/again").join(file));
        }
        let folder = course.join("right").join(id);
        known.extend(right.iter().map(|it| folder.join(it)));
        known.insert(course.join(format!("wrong/{id}.diff")));
    }
    let rooms = ["checks", "solutions", "right", "wrong"];
    let parts = ["part1_cpu", "part2_gpu", "part3_unified"];
    let found =
        rooms.iter().chain(&parts).flat_map(|it| files(&course.join(it)));
    found
        .filter(|file| !known.contains(file))
        .map(|file| {
            format!(
                "{}: no row of exercises.toml knows this file",
                checkout.shown(&file)
            )
        })
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => files(&path),
            path => vec![path],
        })
        .collect();
    files.sort();
    files
}

/// Writes what our solutions look like between their levels.
fn stands(
    checkout: &Checkout,
    exercises: &[Exercise],
    bench: &Path,
) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    // Kernels have no formatter.
    let is_rust = |it: &&Exercise| it.grows() && it.file.ends_with(".rs");
    for exercise in exercises.iter().filter(is_rust) {
        let folder = bench.join("stands");
        for level in 0..=exercise.levels.len() {
            let text = SolutionFile::stand(checkout, exercise, level)?;
            let file = folder.join(format!("{}-{level}.rs", exercise.id));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&file, text))
                .map_err(|error| cannot_write(&file, &error))?;
            files.push(file);
        }
    }
    Ok(files)
}

/// Finds what `cargo fmt` never sees, since no crate has it as a module.
fn unformatted(
    checkout: &Checkout,
    exercises: &[Exercise],
    bench: &Path,
) -> Result<Vec<String>, Stop> {
    let course = checkout.root.join("exercises");
    let is_rust =
        |file: &PathBuf| file.extension().is_some_and(|it| it == "rs");
    let rooms =
        ["solutions", "right", "part1_cpu", "part2_gpu", "part3_unified"];
    let rust: Vec<PathBuf> = rooms
        .iter()
        .flat_map(|room| files(&course.join(room)))
        .filter(is_rust)
        .filter(|file| !file.starts_with(course.join("solutions/again")))
        .chain(drawn(checkout, exercises, bench)?.into_iter().filter(is_rust))
        .chain(stands(checkout, exercises, bench)?)
        .collect();
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--check", "-l"]);
    command.arg("--config-path").arg(checkout.root.join("rustfmt.toml"));
    command.args(&rust);
    command.current_dir(&checkout.root);
    let log = checkout.log("verify-format")?;
    let limit = Duration::from_secs(60);
    let what = "looking at the format of the exercises";
    let ending = process::follow(what, &mut command, &log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(Vec::new());
    }
    let said = fs::read_to_string(&log).unwrap_or_default();
    let named = said.lines().map(|line| {
        format!("{}: not formatted", checkout.shown(Path::new(line)))
    });
    let mut faults: Vec<String> = named.collect();
    if faults.is_empty() {
        faults.push(process::complaint("rustfmt", &ending));
    }
    Ok(faults)
}

/// Writes a draw of each variant's solution, which is no Rust before.
fn drawn(
    checkout: &Checkout,
    exercises: &[Exercise],
    bench: &Path,
) -> Result<Vec<PathBuf>, Stop> {
    let mut files = Vec::new();
    for exercise in exercises {
        let Some(again) = &exercise.again else { continue };
        let SolutionFile { plain, .. } =
            SolutionFile::again(checkout, exercise, again, 0)?;
        let file = bench.join("again").join(&exercise.file);
        let folder = file.parent().unwrap_or(bench);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, plain))
            .map_err(|error| cannot_write(&file, &error))?;
        files.push(file);
    }
    Ok(files)
}

#[derive(Clone, Copy)]
enum Face {
    Stub,
    Plain,
}

/// Lists the warnings in the checks, which `--all-targets` leaves out, and in
/// what the checks include.
fn lints(
    checkout: &Checkout,
    exercises: &[Exercise],
    bench: &Path,
    face: Face,
) -> Result<Vec<String>, Stop> {
    let mut command = checkout.cargo(&["clippy"]);
    let packages: BTreeSet<&str> =
        exercises.iter().map(|it| it.package()).collect();
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(["--features", "elsewhere"]).env(FOLDER, bench);
    for exercise in exercises {
        let solution = SolutionFile::read(checkout, exercise)?;
        let text = match face {
            Face::Stub => solution.stub,
            Face::Plain => solution.plain,
        };
        let file = bench.join(&exercise.file);
        fs::write(&file, text).map_err(|error| cannot_write(&file, &error))?;
        command.args(["--test", &exercise.id]);
    }
    command.args(["--", "-D", "warnings"]);
    let (name, whose) = match face {
        Face::Stub => ("verify-lints-stub", "stubs"),
        Face::Plain => ("verify-lints", "solutions"),
    };
    let log = checkout.log(name)?;
    let what = format!("linting the checks with the {whose}");
    let limit = Duration::from_secs(900);
    let ending = process::follow(&what, &mut command, &log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(Vec::new());
    }
    let lines = process::excerpt(&log, 12).join("\n  ");
    let complaint = process::complaint(&what, &ending);
    Ok(vec![format!("{complaint}\n  {lines}")])
}
