//! A timeline tells what ran on a device, and when, beside the calls of the
//! host that asked for it; built in "Time it honestly".
//!
//! It is a plain record, as a [`Tape`](crate::tape::Tape) is:
//! [`opencl::record`](crate::opencl::record) fills it, and any example shows
//! it when it is asked to by `--timeline` or `--trace FILE`, as
//! [`program`](crate::program) says.
//!
//! Reading order: [`Times`], [`Slice`], [`Timeline`]; [`Timeline::text`] (in
//! `timeline/text.rs`) and [`Timeline::perfetto`] (in
//! `timeline/perfetto.rs`).

mod perfetto;
mod text;

/// Four moments of a launch or a copy, in nanoseconds. Those of an
/// [`Event`](crate::opencl::Event) are told by the device's own clock, and
/// only their differences mean something; those of a [`Timeline`] count from
/// its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The host put it in the queue.
    pub queued: u64,
    /// The driver handed it to the device.
    pub submitted: u64,
    /// The first work-item, or the first byte, started.
    pub started: u64,
    /// The last one ended.
    pub ended: u64,
}

impl Times {
    /// Counts the nanoseconds of work: from start to end.
    pub fn ran(&self) -> u64 {
        self.ended.saturating_sub(self.started)
    }

    /// Counts the nanoseconds before the work: from the queue to the start.
    pub fn waited(&self) -> u64 {
        self.started.saturating_sub(self.queued)
    }
}

/// What a slice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceKind {
    /// The launch of a kernel.
    Launch,
    /// A copy from the host to the device.
    Upload,
    /// A copy from the device to the host.
    Read,
    /// The compiler at work on a kernel's text.
    Build,
    /// The host waiting for all that it has asked for.
    Finish,
}

/// One call of the host, and what became of it on the device. All times are
/// nanoseconds since the timeline began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// What was asked for.
    pub kind: SliceKind,
    /// The kernel, or what the call is called: `upload`, `read`.
    pub name: String,
    /// Groups and their size, or how much was copied.
    pub amount: String,
    /// Bytes that were copied.
    pub bytes: u64,
    /// The device: the 1 of `gpu:1`.
    pub device: usize,
    /// Which of the host's threads called, in the order of their first calls.
    pub thread: usize,
    /// For which part of the program, where somebody watched its
    /// [scopes](crate::scope).
    pub part: Option<String>,
    /// The operations in a kernel that was written for them, those of a shape
    /// together: `add, relu [512, 256]; sum [512]`.
    pub holds: Option<String>,
    /// When the host called, and when it could go on.
    pub call: [u64; 2],
    /// When the device did it. A build and a finish are the host's alone.
    pub times: Option<Times>,
}

/// What ran, in the order of the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The devices that took part: the 1 of `gpu:1`, and the name.
    pub devices: Vec<(usize, String)>,
    /// One for each call.
    pub slices: Vec<Slice>,
}

impl Timeline {
    /// Says whether no device was asked for anything.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    /// Lists the launches, in the order of the calls.
    pub fn launches(&self) -> impl Iterator<Item = &Slice> {
        self.slices.iter().filter(|slice| slice.kind == SliceKind::Launch)
    }
}
