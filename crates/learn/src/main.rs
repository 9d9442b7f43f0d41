//! `cargo learn`, the course companion: it prepares the machine, runs the
//! examples, checks the exercises and tests everything.
//!
//! A module is a command or what commands share. Reading order: [`command`],
//! [`checkout`], [`terminal`], [`process`], [`machine`]; then the commands in
//! the order of [`COMMANDS`]. What only authors run stands in [`authors`].

mod authors;
mod book;
mod checkout;
mod command;
mod course;
mod doctor;
mod examples;
mod exercises;
mod expression;
mod help;
mod keys;
mod machine;
mod nearest;
mod predictions;
mod process;
mod profiler;
mod progress;
mod serve;
mod setup;
mod stopwatch;
mod terminal;
mod welcome;

use std::process::ExitCode;

use checkout::Checkout;
use command::{Command, Stop};
use terminal::say;

/// Every command, in the order in which a learner needs them.
const COMMANDS: &[&Command] = &[
    &setup::COMMAND,
    &doctor::COMMAND,
    &examples::COMMAND,
    &expression::COMMAND,
    &stopwatch::COMMAND,
    &profiler::COMMAND,
    &exercises::check::COMMAND,
    &exercises::watch::COMMAND,
    &exercises::predict::COMMAND,
    &exercises::hint::COMMAND,
    &exercises::solution::COMMAND,
    &exercises::diff::COMMAND,
    &exercises::again::COMMAND,
    &exercises::reset::COMMAND,
    &exercises::list::COMMAND,
    &book::COMMAND,
    &authors::suite::COMMAND,
    &authors::verify::COMMAND,
    &authors::page::COMMAND,
    &help::COMMAND,
];

/// Those that end with a verdict, or with a machine that is prepared.
const JUDGES: &[&str] = &["setup", "check", "again", "watch", "test", "verify"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            if let Some(sentence) = stop.sentence() {
                terminal::complain(sentence);
            }
            ExitCode::from(stop.exit_code())
        }
    }
}

fn dispatch(words: &[String]) -> Result<(), Stop> {
    let checkout = Checkout::find()?;
    let Some((name, args)) = words.split_first() else {
        return welcome::run(&checkout);
    };
    match name.as_str() {
        "--help" | "-h" => return help::overview(),
        "--version" | "-V" => {
            say!("rungrad {}", env!("CARGO_PKG_VERSION"));
            return Ok(());
        }
        _ => {}
    }
    let command = help::find(name)?;
    if JUDGES.contains(&command.name) {
        terminal::judge();
    }
    let own = args.iter().take_while(|word| *word != "--");
    if own.into_iter().any(|word| word == "--help" || word == "-h") {
        return help::page(command);
    }
    (command.run)(&checkout, args)
}
