//! `cargo learn`, the course companion: it prepares the machine, runs the
//! examples and checks the exercises.
//!
//! Each module is a command or is shared by commands. Reading order:
//! [`command`], [`checkout`], [`terminal`], [`process`], [`machine`]; then the
//! commands in the order of [`LEARN`]. The commands for authors are in
//! `crates/xtask/`; the public modules are public for it.

#![allow(missing_docs)]

pub mod anchor;
pub mod book;
pub mod checkout;
mod class;
mod cluster;
pub mod command;
pub mod course;
mod doctor;
mod eject;
pub mod examples;
pub mod exercises;
mod expression;
mod keys;
pub mod machine;
mod nearest;
pub mod predictions;
pub mod process;
mod profiler;
mod progress;
mod serve;
mod setup;
mod share;
mod stopwatch;
pub mod tables;
pub mod terminal;
mod test;
mod tutor;
mod update;
mod welcome;

use std::process::ExitCode;

use checkout::Checkout;
use command::Program;

/// `cargo learn` and its commands, in the order in which a learner needs them.
pub const LEARN: Program = Program {
    name: "learn",
    about: "Rungrad: an autograd engine, built three times.",
    bare: Some(&welcome::COMMAND),
    commands: &[
        &setup::COMMAND,
        &doctor::COMMAND,
        &examples::COMMAND,
        &expression::COMMAND,
        &stopwatch::COMMAND,
        &profiler::COMMAND,
        &cluster::COMMAND,
        &exercises::check::COMMAND,
        &exercises::watch::COMMAND,
        &exercises::predict::COMMAND,
        &exercises::hint::COMMAND,
        &exercises::solution::COMMAND,
        &exercises::diff::COMMAND,
        &exercises::again::COMMAND,
        &exercises::reset::COMMAND,
        &exercises::list::COMMAND,
        &update::COMMAND,
        &share::COMMAND,
        &eject::COMMAND,
        &tutor::COMMAND,
        &class::COMMAND,
        &book::COMMAND,
        &test::COMMAND,
    ],
    verdict_commands: &["setup", "check", "again", "watch"],
};

/// Brings the learner's files up to date and runs the command.
pub fn main() -> ExitCode {
    if let Ok(checkout) = Checkout::find() {
        exercises::files::refresh(&checkout);
    }
    LEARN.main()
}
