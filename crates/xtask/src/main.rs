//! `cargo xtask`: the commands for authors of the course.
//!
//! Reading order: [`mod@test`] is everything that CI runs; [`verify`] proves that
//! every exercise holds together, with [`committed`] for the files of the tree;
//! [`page`] compiles the engine of the live figures; [`prose`] finds phrases that
//! the project avoids.

mod committed;
mod page;
mod prose;
mod test;
mod verify;

use std::process::ExitCode;

use learn::command::Program;

const XTASK: Program = Program {
    name: "xtask",
    about: "The commands for authors of Rungrad.",
    bare: None,
    commands: &[
        &test::COMMAND,
        &verify::COMMAND,
        &page::COMMAND,
        &prose::COMMAND,
    ],
    verdict_commands: &["test", "verify", "prose"],
};

fn main() -> ExitCode {
    XTASK.main()
}
