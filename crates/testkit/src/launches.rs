//! Launches of every kernel, for the simulator, the profiler and the tests of
//! what a kernel may reach: [`draft`] draws arguments at random, [`part2`] and
//! [`part3`] launch each kernel over sizes that no group divides.

pub mod draft;
pub mod part2;
pub mod part3;
