//! The parts of a training loop that do not depend on an engine: data, metrics
//! and progress output.

pub mod data;
pub mod loader;
pub mod metrics;
pub mod progress;
