//! Inspection tools: record and draw a graph, and measure what a step costs in
//! launches, bytes and time.

pub mod draw;
pub mod ledger;
pub mod scope;
pub mod stopwatch;
pub mod tape;
pub mod timeline;
