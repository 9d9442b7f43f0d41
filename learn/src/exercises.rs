//! The exercises: `check`, `hint`, `list`, `solution`, and `verify`, the
//! author's check of every exercise.
//!
//! Reading order: a [`status`] is what the progress says of an exercise, a
//! [`program`] is its check, built; [`check`], [`hint`], [`list`] and
//! [`solution`] are the learner's; a [`stub`] is a solution without what stands
//! in its holes, and [`verify`] proves that all of it holds together, with [`committed`] for the
//! files of the tree.

pub(crate) mod check;
mod committed;
pub(crate) mod hint;
pub(crate) mod list;
mod program;
pub(crate) mod solution;
pub(crate) mod status;
mod stub;
pub(crate) mod verify;
