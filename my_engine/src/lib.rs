//! Checks the reader's own engine with the specification of `testkit`, which
//! also checks the three engines of the course, in levels that follow the
//! chapters of Part 1.
//!
//! The reader's file is part of a program, `exercises/checks/my_engine.rs`
//! with `table.rs`, and a save compiles only this program. The laws are in
//! this crate and are compiled once: they access the engine through a
//! [`Table`] of functions, and its tensors as [`Handle`]s.
//!
//! Reading order: [`Table`] lists the functions of an engine, `mine.rs`
//! implements the specification's interface with it, `tape.rs` reads its
//! graph, `levels.rs` lists the levels, `laws.rs` has the laws that only this
//! course needs, `broken.rs` reports a failed law, `digits.rs` trains,
//! `bench.rs` evaluates expressions.

mod bench;
mod broken;
#[cfg(feature = "opencl")]
pub mod device;
mod digits;
#[cfg(test)]
mod fair;
#[cfg(feature = "opencl")]
pub mod kernels;
mod ladder;
mod laws;
mod levels;
pub mod memory;
mod mine;
mod refusal;
mod table;
mod tape;

use std::env;
use std::process::ExitCode;
use std::sync::OnceLock;

use exercises::{Answer, check_levels, limited};
use rungrad::Error;

use ladder::Ladder;

#[cfg(feature = "opencl")]
pub use device::left;
pub use table::{Handle, Many, One, Over, Table, Two, lacks};

/// Path of the reader's file in this program.
static FILE: OnceLock<&'static str> = OnceLock::new();

fn reader_file() -> &'static str {
    FILE.get().expect("a program has a file of the reader's")
}

static ENGINE: OnceLock<Table> = OnceLock::new();

fn engine() -> &'static Table {
    ENGINE.get().expect("a program has an engine")
}

/// The `main` function of a program with the reader's engine.
pub fn main(table: Table, file: Answer) -> ExitCode {
    assert!(ENGINE.set(table).is_ok(), "a program has one engine");
    let subcommands: [Subcommand; 2] =
        [("try", 10, bench::run), ("train", 600, |_| digits::run())];
    run_levels("my_engine", file, &levels::LADDER, &subcommands)
}

/// A subcommand: its name, its time limit in seconds, and the function that
/// runs it with the remaining arguments.
type Subcommand = (&'static str, u64, fn(&[String]) -> Result<(), Error>);

/// Checks the levels of a file, or runs a subcommand.
fn run_levels<E>(
    id: &'static str,
    file: Answer,
    ladder: &Ladder<E>,
    subcommands: &[Subcommand],
) -> ExitCode {
    run_or_check(file, subcommands, || check_levels(id, file, ladder))
}

/// Runs the subcommand named by the first argument, or the check.
fn run_or_check(
    file: Answer,
    subcommands: &[Subcommand],
    check: impl FnOnce() -> ExitCode,
) -> ExitCode {
    assert!(FILE.set(file.path).is_ok(), "a program has one file");
    let words: Vec<String> = env::args().skip(1).collect();
    let asked = words.first().map(String::as_str);
    match subcommands.iter().find(|(name, ..)| Some(*name) == asked) {
        Some((_, seconds, work)) => {
            limited(file, *seconds, || exit_code_of(|| work(&words[1..])))
        }
        None => check(),
    }
}

/// Runs a subcommand, prints its error if it fails, and returns the exit code.
fn exit_code_of(work: impl FnOnce() -> Result<(), Error>) -> u8 {
    match broken::catch_panic(work) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}
