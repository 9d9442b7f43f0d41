//! What the test files share: one specification for every engine, seeded
//! numbers, and the loud skip.
#![allow(dead_code, unreachable_pub, unused_macros)]

pub mod device;
pub mod engine;
pub mod random;
#[macro_use]
pub mod spec;
