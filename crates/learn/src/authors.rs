//! What only authors run; a learner needs none of it.
//!
//! Reading order: [`suite`] is everything that CI runs, with [`counts`] for
//! what its tests print; [`verify`] proves that every exercise holds together,
//! with [`committed`] for the files of the tree; [`page`] compiles what the
//! pages of the book run.

mod committed;
mod counts;
pub(crate) mod page;
pub(crate) mod suite;
pub(crate) mod verify;
