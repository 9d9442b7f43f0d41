//! The exercises, and what a learner does with them.
//!
//! Reading order: a [`status`] is what the progress says of an exercise, a
//! [`program`] is its check, built; `check`, `watch`, `hint`, `list`,
//! `solution`, `diff`, `reset`, with its `backup`, and `again`, with
//! its [`variant`]s, are the learner's, and `predict` asks before a program
//! answers; a [`stub`] is a solution without what stands in its holes,
//! [`answers`] are the solution without hole markers and the known wrong
//! answers, [`levels`] are the steps of an exercise that grows, and an
//! `engine` is such an exercise.

pub(crate) mod again;
pub mod answers;
mod backup;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod engine;
pub(crate) mod hint;
pub mod levels;
pub(crate) mod list;
pub(crate) mod predict;
pub mod program;
mod renamed;
pub(crate) mod reset;
pub(crate) mod solution;
pub mod status;
pub mod stub;
pub mod variant;
pub(crate) mod watch;
