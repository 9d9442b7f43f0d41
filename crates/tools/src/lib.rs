//! Shared by several programs: the expression checker, and the words of a
//! command line.
#![allow(missing_docs, reason = "used by the programs of this repository only")]

pub mod expression;
pub mod words;
