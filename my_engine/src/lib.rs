//! Checks the reader's own engine with the specification of `testkit`, which
//! also checks the three engines of the course, in levels that follow the
//! chapters of Part 1.
//!
//! The reader's file is part of a program, `exercises/checks/my_engine.rs` with
//! `table.rs`, and only this program is compiled after a save. The laws are in
//! this crate and are compiled once: they see the engine through a [`Table`] of
//! functions, and its tensors as [`Handle`]s.
//!
//! Reading order: [`Table`] is what an engine offers, `mine.rs` makes an engine
//! of it that the specification takes, `tape.rs` reads its graph, `levels.rs`
//! lists the levels, `laws.rs` the laws of this course alone, `broken.rs` says
//! which law is broken and how, `digits.rs` trains, `bench.rs` tries
//! expressions.

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

/// The file of the reader's that this program holds.
static FILE: OnceLock<&'static str> = OnceLock::new();

fn its_file() -> &'static str {
    FILE.get().expect("a program has a file of the reader's")
}

static ENGINE: OnceLock<Table> = OnceLock::new();

fn engine() -> &'static Table {
    ENGINE.get().expect("a program has an engine")
}

/// Runs the `main` of a program that holds the reader's engine.
pub fn main(table: Table, file: Answer) -> ExitCode {
    assert!(ENGINE.set(table).is_ok(), "a program has one engine");
    let works: [Work; 2] =
        [("try", 10, bench::run), ("train", 600, |_| digits::run())];
    climb("my_engine", file, &levels::LADDER, &works)
}

/// What a program can do besides: its word, the seconds that it is given, and
/// how it is done with the words behind.
type Work = (&'static str, u64, fn(&[String]) -> Result<(), Error>);

/// Checks the levels of what grows in a file, or does what the first word
/// names.
fn climb<E>(
    id: &'static str,
    file: Answer,
    ladder: &Ladder<E>,
    works: &[Work],
) -> ExitCode {
    asked(file, works, || check_levels(id, file, ladder))
}

/// Does what the first word names, or checks.
fn asked(
    file: Answer,
    works: &[Work],
    check: impl FnOnce() -> ExitCode,
) -> ExitCode {
    assert!(FILE.set(file.path).is_ok(), "a program has one file");
    let words: Vec<String> = env::args().skip(1).collect();
    let asked = words.first().map(String::as_str);
    match works.iter().find(|(name, ..)| Some(*name) == asked) {
        Some((_, seconds, work)) => {
            limited(file, *seconds, || told(|| work(&words[1..])))
        }
        None => check(),
    }
}

/// Does something with the engine, and says in a sentence why it did not end
/// well. Returns the code of the program.
fn told(work: impl FnOnce() -> Result<(), Error>) -> u8 {
    match broken::sentence(work) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}
