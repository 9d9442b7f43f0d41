//! Checks `my_kernels`, the reader's own kernels for Part 2, and trains with
//! them.
//!
//! The laws are in the package `my_engine`; this is its program.

use std::process::ExitCode;

const YOURS: &str = exercises::path!("part2_gpu/my_kernels.cl");

fn main() -> ExitCode {
    my_engine::kernels::main(YOURS)
}
