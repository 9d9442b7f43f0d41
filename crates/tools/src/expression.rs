//! The expression checker: values, gradients and the tape of one expression, on
//! any part and device. `cargo learn try` runs it, the reader's own engine and
//! the pages of the book use it.

pub mod engine;
pub mod expr;
pub mod part1;
pub mod request;
pub mod shown;
pub mod verdict;
