//! `cargo learn bench`: measures how fast Part 3 is on this machine, with a program of
//! `crates/tools/` built with all optimizations.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::examples::Program;

pub(crate) const COMMAND: Command = Command {
    name: "bench",
    usage: "[WORDS] [--device cpu|gpu|gpu:N] [--quick] [--peer NAME] \
            [--baseline FILE] ..",
    summary: "how fast Part 3 is here, compared with PyTorch and numpy",
    page: include_str!("../../tools/src/bin/bench/help.txt").trim_ascii_end(),
    run,
};

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    Program::Stopwatch("bench").run(checkout, None, &args.documented(&COMMAND)?)
}
