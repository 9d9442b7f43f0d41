//! Checks `my_engine`, the reader's own engine, trains with it and evaluates
//! expressions.
//!
//! The laws are in the package `my_engine`; this is its program.

#[path = "../../my_engine/table.rs"]
mod table;

use std::process::ExitCode;

#[global_allocator]
static MEMORY: my_engine::memory::Counting = my_engine::memory::Counting;

exercises::yours!("part1_cpu/my_engine.rs");

fn main() -> ExitCode {
    my_engine::main(table::TABLE, YOURS)
}
