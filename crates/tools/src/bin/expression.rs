//! Checks one expression: `cargo learn try` runs it.

use std::process::ExitCode;

use tools::expression::{engine, shown};

const HELP: &str = "\
usage: cargo learn try \"EXPR\" NAME=VALUES.. [options]

  cargo learn try \"(a*b)*b\" a=2,3 b=3,4

EXPR is made of names, parentheses, + - * / and functions such as exp(..);
VALUES are numbers with commas between them.

  --engine part1|part2|part3   which engine computes it (part1); mine is the
                               one of `cargo learn check my_engine`
  --device cpu|gpu|gpu:1       where; part2 and part3 only
  --svg FILE                   where the picture goes (target/tape.svg)";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        if words.is_empty() {
            println!("{HELP}");
            return Ok(());
        }
        let request = shown::request(&words)?;
        shown::show(&request, &engine::run(&request)?)
    })
}
