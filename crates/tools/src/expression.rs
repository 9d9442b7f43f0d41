//! The expression checker: values, gradients and the tape of one expression,
//! for each part and device. `cargo learn try`, the reader's own engine and
//! the pages of the book use it.

pub mod engine;
pub mod expr;
pub mod part1;
pub mod request;
pub mod shown;
pub mod verdict;
