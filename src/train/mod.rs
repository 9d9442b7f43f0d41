//! What a training loop needs beside an engine: data, how well a network does,
//! and how far the loop is.

pub mod data;
pub mod loader;
pub mod metrics;
pub mod progress;
