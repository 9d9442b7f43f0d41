//! The exercises: what a learner does with them, and `verify`, the author's
//! check of every exercise.
//!
//! Reading order: a [`status`] is what the progress says of an exercise, a
//! [`program`] is its check, built; [`check`], [`watch`], [`hint`], [`list`],
//! [`solution`], [`diff`] and [`reset`], with its [`backup`], are the
//! learner's; a [`stub`] is a solution without what stands in its holes, and
//! [`verify`] proves that all of it holds together, with [`committed`] for the
//! files of the tree.

mod backup;
pub(crate) mod check;
mod committed;
pub(crate) mod diff;
pub(crate) mod hint;
pub(crate) mod list;
mod program;
pub(crate) mod reset;
pub(crate) mod solution;
pub(crate) mod status;
mod stub;
pub(crate) mod verify;
pub(crate) mod watch;
