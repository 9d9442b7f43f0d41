//! The check of `my_kernels`, kernels of the reader's for Part 2, which trains
//! by them, too.
//!
//! The laws stand in the package `my_engine`, whose program this is.

use std::process::ExitCode;

const YOURS: &str = exercises::path!("part2_gpu/my_kernels.cl");

fn main() -> ExitCode {
    my_engine::kernels::main(YOURS)
}
