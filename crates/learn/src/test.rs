//! `cargo learn test`: runs all tests of the course with `cargo xtask test`.

use std::os::unix::process::CommandExt;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};

pub(crate) const COMMAND: Command = Command {
    name: "test",
    usage: "[--all] [--only STEP] [--limit SECONDS] [--list]",
    summary: "run the check: format, lints, tests, exercises and the book",
    page: include_str!("../../xtask/src/test/help.txt").trim_ascii_end(),
    run,
};

/// Replaces this process with the tests, so that they receive every signal and
/// their exit code is passed on.
fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    let words = args.documented(&COMMAND)?;
    let mut cargo = checkout.cargo(&["run", "--quiet", "--package", "xtask"]);
    cargo.args(["--profile", "learn", "--", "test"]).args(words);
    let error = cargo.exec();
    Err(Stop::Failed(format!("cannot start cargo: {error}")))
}
