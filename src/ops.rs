//! The names and the order of the operations, once, for every part.
//!
//! Part 1 has this list, Part 2 a subsequence of it, and Part 3 begins with
//! it; `tests/architecture.rs` holds the files to that order.

/// The operations that record themselves, in teaching order.
pub const OPERATIONS: &[&str] = &["mul", "sum"];
