//! What kinds of things the book shows and nobody types.

/// What a command prints, below the command itself.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) out: &'static str,
    /// What the reader types: `cargo run --example ..` or `cargo learn try
    /// ..`, variables before it, or a tool that runs it.
    pub(crate) command: &'static str,
    /// The code that it ends with.
    pub(crate) code: i32,
    pub(crate) needs: Needs,
}

/// What a machine must have to print what the book shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but this repository.
    Nothing,
    /// An OpenCL device.
    Device,
    /// A driver that goes on when the host opens a gate. PoCL's `basic` keeps
    /// the event's lock while it runs what has waited, and waits for itself.
    Gates,
    /// PoCL: what a kernel with a fault does, no two drivers agree on.
    Pocl,
    /// Oclgrind in the version of the book, since others word it otherwise.
    Oclgrind,
    /// Oclgrind, and a compiler for its plugin that counts.
    Counters,
}

impl Needs {
    /// All of them.
    pub(crate) const ALL: [Needs; 6] = [
        Needs::Nothing,
        Needs::Device,
        Needs::Gates,
        Needs::Pocl,
        Needs::Oclgrind,
        Needs::Counters,
    ];
}

/// What a command printed once, on a device: its times are those of one
/// machine.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) out: &'static str,
    pub(crate) command: &'static str,
    /// What prints the same words in a moment, without that machine.
    pub(crate) rehearsal: &'static str,
    /// Where and when, in the words of the page that shows it.
    pub(crate) on: &'static str,
}

/// A region from inside a function: the book shows it from the first column
/// on, where mdBook cannot move it.
#[derive(Clone, Copy)]
pub(crate) struct Inner {
    pub(crate) out: &'static str,
    pub(crate) of: &'static str,
}

/// The way from one region to another: `src/part1_cpu/ops.rs:mul`.
#[derive(Clone, Copy)]
pub(crate) struct Diff {
    pub(crate) out: &'static str,
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
}

/// What one operator adds to a file: "Add an operator".
#[derive(Clone, Copy)]
pub(crate) struct Growth {
    pub(crate) out: &'static str,
    pub(crate) file: &'static str,
}

/// A figure that `rungrad::draw` makes.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) out: &'static str,
    pub(crate) draw: fn() -> String,
}

/// A figure that an example has drawn: one of the outputs, which wrote it.
#[derive(Clone, Copy)]
pub(crate) struct Picture {
    pub(crate) out: &'static str,
    pub(crate) written: &'static str,
    /// What it takes to draw it.
    pub(crate) needs: Needs,
}

#[derive(Clone, Copy)]
pub(crate) struct Manifest {
    /// Those of Part 1 stand in a file of their own.
    pub(crate) part1: &'static [Output],
    /// And those of a program with many topics.
    pub(crate) training: &'static [Output],
    /// And those of the last two chapters.
    pub(crate) transformers: &'static [Output],
    pub(crate) outputs: &'static [Output],
    pub(crate) measured: &'static [Measured],
    pub(crate) inners: &'static [Inner],
    pub(crate) diffs: &'static [Diff],
    pub(crate) growths: &'static [Growth],
    pub(crate) figures: &'static [Figure],
    pub(crate) pictures: &'static [Picture],
    /// What comes out of training: a processor that rounds elsewhere ends
    /// near these numbers, not at them.
    pub(crate) trained: &'static [&'static str],
}

/// A command that succeeds on every machine.
pub(crate) const fn here(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Nothing }
}

/// A command that succeeds where there is an OpenCL device.
pub(crate) const fn on_a_device(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Device }
}

/// A command behind a gate, where one opens.
pub(crate) const fn behind_a_gate(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Gates }
}

/// A kernel with a fault, where PoCL runs it.
pub(crate) const fn on_pocl(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Pocl }
}

/// A command that begins with Oclgrind, which succeeds whatever it finds.
pub(crate) const fn under_oclgrind(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Oclgrind }
}

/// A command that counts in Oclgrind.
pub(crate) const fn counted(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Counters }
}
