//! What the test files share: one specification for every engine, seeded
//! numbers, and the loud skip.
#![allow(dead_code, unreachable_pub, unused_macros)]

pub mod calls;
pub mod cases;
pub mod device;
#[macro_use]
pub mod edges;
pub mod engine;
#[macro_use]
pub mod operators;
pub mod random;
pub mod refusal;
#[macro_use]
pub mod refusals;
#[macro_use]
pub mod spec;
#[macro_use]
pub mod verdict;
