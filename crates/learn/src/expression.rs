//! `cargo learn try`: builds and runs the expression checker of
//! `crates/tools/`.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::examples::Program;
use crate::exercises::engine;

pub(crate) const COMMAND: Command = Command {
    name: "try",
    usage: "\"EXPR\" NAME=VALUES .. [--engine part1|part2|part3|mine] \
            [--device cpu|gpu|gpu:N]",
    summary: "evaluate an expression: values, gradients, tape",
    page: "\
Evaluates an expression of tensors on an engine of the course, runs backward,
checks every gradient with finite differences, and draws the tape:

  cargo learn try \"(a*b)*b\" a=2,3 b=3,4
  cargo learn try \"(a*b)*b\" a=2,3 b=3,4 --engine part3 --device gpu

--engine mine is your own engine from `cargo learn check my_engine`. --svg FILE
changes the file of the picture, target/tape.svg.

In a fresh clone, Part 1, the default engine, is compiled in half a minute; the
other engines take two to three minutes.",
    run,
};

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    let args = args.documented(&COMMAND)?;
    if args.is_empty() {
        return Err(Stop::Page);
    }
    if let Some(at) = own_engine_index(&args) {
        let rest = [&args[..at], &args[at + 2..]].concat();
        return engine::attempt(checkout, &rest);
    }
    let bench = match needs_opencl(&args) {
        true => Program::Tool("expression"),
        false => Program::Light("expression"),
    };
    bench.run(checkout, None, &args)
}

/// Returns the index of `--engine mine`, the learner's own engine.
fn own_engine_index(args: &[String]) -> Option<usize> {
    args.windows(2).position(|it| it[0] == "--engine" && it[1] == "mine")
}

/// Returns whether the arguments name an engine that the light build does not
/// contain. The checker itself quickly rejects invalid arguments.
fn needs_opencl(args: &[String]) -> bool {
    let is_engine = |word: &str| ["part2", "part3"].contains(&word);
    args.windows(2).any(|it| it[0] == "--engine" && is_engine(&it[1]))
}
