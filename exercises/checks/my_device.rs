//! Checks `my_device`, the reader's own device for Part 3, and trains on it.
//!
//! The laws are in the package `my_engine`; this is its program.

use std::process::ExitCode;

exercises::yours!("part3_unified/my_device.rs");

fn main() -> ExitCode {
    my_engine::device::main(&yours::MINE, YOURS)
}
