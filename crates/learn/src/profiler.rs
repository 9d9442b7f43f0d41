//! `cargo learn profile`: counts how a kernel would use a GPU, with a
//! program of `crates/tools/`.

use std::path::PathBuf;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course;
use crate::examples::Program;
use crate::exercises::engine;

pub(crate) const COMMAND: Command = Command {
    name: "profile",
    usage: "NAME [--warp 32|64] [--card NAME] [--line N] ..",
    summary: "how a kernel would use a GPU, measured without one",
    page: include_str!("../../tools/src/bin/profile/help.txt").trim_ascii_end(),
    run,
};

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    let mut args = args.documented(&COMMAND)?;
    let Some(name) = args.first().filter(|it| !it.starts_with('-')) else {
        return Err(Stop::Page);
    };
    args.extend(launcher(checkout, name)?);
    Program::Tool("profile").run(checkout, None, &args)
}

/// Builds the program that launches the kernels of an exercise or an example,
/// and returns the arguments that name it. A kernel of the crate needs none.
fn launcher(checkout: &Checkout, name: &str) -> Result<Vec<String>, Stop> {
    let args = |option: &str, path: PathBuf| {
        [option.to_string(), path.to_string_lossy().into_owned()]
    };
    let exercises = course::exercises(checkout)?;
    if let Some(exercise) = exercises.iter().find(|it| it.id == name) {
        let file = checkout.exercises.join(&exercise.file);
        if file.extension().is_none_or(|it| it != "cl") {
            return Err(Stop::Usage(format!(
                "{name} is not an exercise about a kernel: its file is {}",
                checkout.shown(&file)
            )));
        }
        let check = engine::build(checkout, exercise, false)?;
        return Ok([args("--program", check), args("--file", file)].concat());
    }
    let folder = checkout.root.join("examples");
    let is_example = folder.join(format!("{name}.rs")).is_file()
        || folder.join(name).join("main.rs").is_file();
    if !is_example {
        return Ok(Vec::new());
    }
    Program::Example(name).build(checkout)?;
    let program = checkout.target.join("debug/examples").join(name);
    Ok(args("--program", program).to_vec())
}
