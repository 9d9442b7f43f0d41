//! The exercises and the commands that work on them.
//!
//! - [`status`]: the state of an exercise in the saved progress.
//! - [`program`]: builds and runs the check of an exercise.
//! - `check`, `watch`, `hint`, `list`, `solution`, `diff`, `reset` (with
//!   `backup`), `again` (with [`variant`]) and `predict`: one command each.
//!   `solved` is `check --solved`.
//! - `files`: creates the learner's files and keeps them through updates.
//! - [`stub`]: reads a solution and removes the answers from its holes.
//! - [`answers`]: the solution without hole markers, and the wrong answers.
//! - [`levels`]: the levels of an exercise; `engine` runs such an exercise.

pub(crate) mod again;
pub mod answers;
mod backup;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod engine;
pub(crate) mod files;
pub(crate) mod hint;
pub mod levels;
pub(crate) mod list;
pub(crate) mod predict;
pub mod program;
mod renamed;
pub(crate) mod report;
pub(crate) mod reset;
pub(crate) mod solution;
mod solved;
pub mod status;
pub mod stub;
pub mod variant;
pub(crate) mod watch;
