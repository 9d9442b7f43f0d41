//! Launches of every kernel, for the simulator, the profiler and the tests of
//! kernel bounds. [`draft`] draws random arguments; [`part2`] and [`part3`]
//! launch each kernel with sizes that are not a multiple of any work-group
//! size.

pub mod draft;
pub mod part2;
pub mod part3;
