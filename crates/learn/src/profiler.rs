//! `cargo learn profile`: what a kernel would make a GPU do, counted by a
//! program of `crates/tools/` that we build and hand the terminal to.

use std::path::PathBuf;

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::examples::Program;
use crate::exercises::program;
use crate::terminal::say;
use crate::{course, process};

pub(crate) const COMMAND: Command = Command {
    name: "profile",
    usage: "NAME [--warp 32|64] [--card NAME] [--line N] ..",
    summary: "what a kernel would make a GPU do, without a GPU",
    page: include_str!("../../tools/src/bin/profile/help.txt").trim_ascii_end(),
    run,
};

/// The options of the program, each with a value.
const OPTIONS: [&str; 6] =
    ["--warp", "--card", "--registers", "--size", "--line", "--out"];

fn run(checkout: &Checkout, mut words: Words) -> Result<(), Stop> {
    let mut passed_on = Vec::new();
    for option in OPTIONS {
        if let Some(value) = words.option(option)? {
            passed_on.extend([option.to_string(), value]);
        }
    }
    if words.flag("--counters") {
        passed_on.push("--counters".to_string());
    }
    let (names, _) = words.rest(usize::MAX)?;
    let Some(name) = names.first() else {
        return Err(Stop::Page);
    };
    let launcher = launcher(checkout, name)?;
    passed_on.extend(names.iter().cloned());
    passed_on.extend(launcher);
    Program::Tool("profile").run(checkout, None, &passed_on)
}

/// Builds the program that launches the kernels of an exercise or an example,
/// and returns the words that name it. A kernel of the crate needs none.
fn launcher(checkout: &Checkout, name: &str) -> Result<Vec<String>, Stop> {
    let words = |option: &str, path: PathBuf| {
        [option.to_string(), path.to_string_lossy().into_owned()]
    };
    let exercises = course::exercises(checkout)?;
    if let Some(exercise) = exercises.iter().find(|it| it.id == name) {
        let file = checkout.exercises.join(&exercise.file);
        if file.extension().is_none_or(|it| it != "cl") {
            return Err(Stop::Usage(format!(
                "{name} is no exercise of a kernel: its file is {}",
                checkout.shown(&file)
            )));
        }
        let check = check(checkout, name)?;
        return Ok([words("--program", check), words("--file", file)].concat());
    }
    let folder = checkout.root.join("examples");
    let is_example = folder.join(format!("{name}.rs")).is_file()
        || folder.join(name).join("main.rs").is_file();
    if !is_example {
        return Ok(Vec::new());
    }
    Program::Example(name).build(checkout)?;
    let program = checkout.target.join("debug/examples").join(name);
    Ok(words("--program", program).to_vec())
}

/// Builds the check of an exercise.
fn check(checkout: &Checkout, id: &str) -> Result<PathBuf, Stop> {
    let log = checkout.log(&format!("profile-{id}"))?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::find(&exercises, id)?;
    let folder = &checkout.exercises;
    let built = program::build(checkout, folder, &[exercise], &log)?;
    let program = built.and_then(|mut programs| programs.pop());
    program.ok_or_else(|| {
        for line in process::excerpt(&log, 40) {
            say!("{line}");
        }
        Stop::Failed(format!("the check of {id} does not compile"))
    })
}
