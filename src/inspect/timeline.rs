//! A timeline of the work on devices and of the host calls that requested it,
//! built in "Time it honestly".
//!
//! It is a plain record, like a [`Tape`](crate::tape::Tape).
//! [`opencl::record`](crate::opencl::record) fills it. Every example prints it
//! with `--timeline` and saves it with `--trace FILE`.
//!
//! Reading order: [`Times`], `Slice`, [`Timeline`]; [`Timeline::text`] (in
//! `timeline/text.rs`) and [`Timeline::perfetto`] (in
//! `timeline/perfetto.rs`).

mod perfetto;
mod text;

/// Four timestamps of a launch or a copy, in nanoseconds. In an
/// [`Event`](crate::opencl::Event) they are readings of the device's clock,
/// and only their differences are meaningful. In a [`Timeline`] they count
/// from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// When the host put the command into the queue.
    pub queued: u64,
    /// When the driver submitted it to the device.
    pub submitted: u64,
    /// When the first work-item, or the first byte, started.
    pub started: u64,
    /// When the last one ended.
    pub ended: u64,
}

impl Times {
    /// Returns the duration of the work, from start to end.
    pub fn ran(&self) -> u64 {
        self.ended.saturating_sub(self.started)
    }

    /// Returns the delay before the work, from the queue to the start.
    pub fn waited(&self) -> u64 {
        self.started.saturating_sub(self.queued)
    }
}

/// The kind of a slice.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceKind {
    /// A kernel launch.
    Launch,
    /// A copy from the host to the device.
    Upload,
    /// A copy from the device to the host.
    Read,
    /// The compilation of a kernel.
    Build,
    /// The host waiting for all submitted work.
    Finish,
}

/// A call of the host, and the work that it caused on the device. All times
/// are in nanoseconds since the beginning of the timeline.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The kind of call.
    pub kind: SliceKind,
    /// The name of the kernel or of the call: `upload`, `read`.
    pub name: String,
    /// The number and size of the work-groups, or the amount of data copied.
    pub amount: String,
    /// The number of bytes copied.
    pub bytes: u64,
    /// The index of the device: the 1 of `gpu:1`.
    pub device: usize,
    /// The calling thread of the host, numbered in the order of first calls.
    pub thread: usize,
    /// The part of the program that made the call, if its
    /// [scopes](crate::scope) were watched.
    pub part: Option<String>,
    /// The operations in a generated kernel, grouped by shape:
    /// `add, relu [512, 256]; sum [512]`.
    pub holds: Option<String>,
    /// When the call began, and when it returned.
    pub call: [u64; 2],
    /// When the device did the work. `None` for builds and waits, which have
    /// no work on the device.
    pub times: Option<Times>,
}

/// Calls and the work they caused, in the order of the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The devices in use: the 1 of `gpu:1`, and the name.
    pub devices: Vec<(usize, String)>,
    /// One slice per call.
    pub slices: Vec<Slice>,
}

impl Timeline {
    /// Returns `true` if no device was used.
    pub fn is_empty(&self) -> bool {
        self.slices.is_empty()
    }

    /// Iterates over the launches in the order of the calls.
    pub fn launches(&self) -> impl Iterator<Item = &Slice> {
        self.slices.iter().filter(|slice| slice.kind == SliceKind::Launch)
    }
}
