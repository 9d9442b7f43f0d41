//! The program `cargo learn`, which the library implements.

use std::process::ExitCode;

fn main() -> ExitCode {
    learn::main()
}
