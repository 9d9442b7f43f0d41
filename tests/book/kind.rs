//! What kinds of things the book shows and nobody types.

/// What a command prints, below the command itself.
#[derive(Clone, Copy)]
pub struct Output {
    pub out: &'static str,
    /// What the reader types: `cargo run --example ..` or `cargo learn try
    /// ..`, variables before it, or a tool that runs it.
    pub command: &'static str,
    /// The code that it ends with.
    pub code: i32,
    pub needs: Needs,
}

/// What a machine must have to print what the book shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// An OpenCL device.
    Device,
    /// PoCL: what a kernel with a fault does, no two drivers agree on.
    Pocl,
    /// Oclgrind in the version of the book, since others word it otherwise.
    Oclgrind,
}

/// What a command printed once, on a device: its times are those of one
/// machine.
#[derive(Clone, Copy)]
pub struct Measured {
    pub out: &'static str,
    pub command: &'static str,
    /// What prints the same words in a moment, without that machine.
    pub rehearsal: &'static str,
    /// Where and when, in the words of the page that shows it.
    pub on: &'static str,
}

/// A region from inside a function: the book shows it from the first column
/// on, where mdBook cannot move it.
#[derive(Clone, Copy)]
pub struct Inner {
    pub out: &'static str,
    pub of: &'static str,
}

/// The way from one region to another: `src/part1_cpu/ops.rs:mul`.
#[derive(Clone, Copy)]
pub struct Diff {
    pub out: &'static str,
    pub old: &'static str,
    pub new: &'static str,
}

/// What one operator adds to a file: chapter 26.
#[derive(Clone, Copy)]
pub struct Growth {
    pub out: &'static str,
    pub file: &'static str,
}

/// A figure that `rungrad::draw` makes.
#[derive(Clone, Copy)]
pub struct Figure {
    pub out: &'static str,
    pub draw: fn() -> String,
}

/// A figure that an example has drawn: one of the outputs, which wrote it.
#[derive(Clone, Copy)]
pub struct Picture {
    pub out: &'static str,
    pub written: &'static str,
}

#[derive(Clone, Copy)]
pub struct Manifest {
    /// Those of Part 1 stand in a file of their own.
    pub part1: &'static [Output],
    pub outputs: &'static [Output],
    pub measured: &'static [Measured],
    pub inners: &'static [Inner],
    pub diffs: &'static [Diff],
    pub growths: &'static [Growth],
    pub figures: &'static [Figure],
    pub pictures: &'static [Picture],
    /// What comes out of training: a processor that rounds elsewhere ends
    /// near these numbers, not at them.
    pub trained: &'static [&'static str],
}

/// A command that succeeds on every machine.
pub const fn here(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Nothing }
}

/// A command that succeeds where there is an OpenCL device.
pub const fn on_a_device(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Device }
}

/// A kernel with a fault, where PoCL runs it.
pub const fn on_pocl(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Pocl }
}

/// A command that begins with Oclgrind, which succeeds whatever it finds.
pub const fn under_oclgrind(
    out: &'static str,
    command: &'static str,
) -> Output {
    Output { out, command, code: 0, needs: Needs::Oclgrind }
}
