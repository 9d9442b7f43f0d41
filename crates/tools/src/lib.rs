//! Code that several programs share: the expression checker and the parsing of
//! command lines.
#![allow(missing_docs, reason = "used by the programs of this repository only")]

pub mod expression;
pub mod words;
