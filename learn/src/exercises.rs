//! The exercises, and what a learner does with them.
//!
//! Reading order: a [`status`] is what the progress says of an exercise, a
//! [`program`] is its check, built; [`check`], [`watch`], [`hint`], [`list`],
//! [`solution`], [`diff`] and [`reset`], with its [`backup`], are the
//! learner's; a [`stub`] is a solution without what stands in its holes.

mod backup;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod hint;
pub(crate) mod list;
pub(crate) mod program;
mod renamed;
pub(crate) mod reset;
pub(crate) mod solution;
pub(crate) mod status;
pub(crate) mod stub;
pub(crate) mod watch;
