//! `cargo learn try`: the expression bench, a program of `tools/` that we
//! build and hand the terminal to.

use crate::checkout::Checkout;
use crate::command::{Command, Stop};
use crate::examples::Program;
use crate::help;

pub(crate) const COMMAND: Command = Command {
    name: "try",
    usage: "\"EXPR\" NAME=VALUES .. [--engine part1|part2|part3] \
            [--device cpu|gpu|gpu:N]",
    summary: "evaluate an expression: values, gradients, tape",
    page: "\
Evaluates an expression of tensors on an engine of the course, runs backward,
checks every gradient by differences, and draws the tape:

  cargo learn try \"(a*b)*b\" a=2,3 b=3,4
  cargo learn try \"(a*b)*b\" a=2,3 b=3,4 --engine part3 --device gpu",
    run,
};

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    if args.is_empty() {
        help::page(&COMMAND)?;
        return Err(Stop::Said(2));
    }
    Program::Tool("expression").run(checkout, None, args)
}
