//! The check of `my_device`, a device of the reader's for Part 3, which trains
//! on it, too.
//!
//! The laws stand in the package `my_engine`, whose program this is.

use std::process::ExitCode;

exercises::yours!("part3_unified/my_device.rs");

fn main() -> ExitCode {
    my_engine::device::main(&yours::MINE, YOURS)
}
