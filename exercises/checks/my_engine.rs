//! The check of `my_engine`, an engine of the reader's, which trains by it and
//! tries expressions on it, too.
//!
//! The laws stand in the package `my_engine`, whose program this is.

#[path = "../../my_engine/table.rs"]
mod table;

use std::process::ExitCode;

#[global_allocator]
static MEMORY: my_engine::memory::Counting = my_engine::memory::Counting;

exercises::yours!("part1_cpu/my_engine.rs");

fn main() -> ExitCode {
    my_engine::main(table::TABLE, YOURS)
}
