//! What several programs share: the expression checker.
#![allow(missing_docs, reason = "used by the programs of this repository only")]

pub mod expression;
