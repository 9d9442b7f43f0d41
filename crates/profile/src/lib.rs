//! Counts what a GPU would measure for a kernel, without a GPU.
//!
//! Oclgrind runs the kernel on the processor, item after item, and
//! `plugin.cpp` records the addresses. Warps are reconstructed from the
//! records: a warp is 32 consecutive items of a work-group, and the n-th
//! execution of an instruction by each of them between two barriers counts as
//! one warp instruction (a moment).
//!
//! Reading order: [`Plugin`] runs a program in this way, [`Launch`] is the
//! record, `count` computes the costs of an access, [`Card`] describes the
//! resources of a device, and [`report`] and [`picture`] show the results.

mod card;
mod count;
mod name;
mod picture;
mod plugin;
mod record;
mod report;
pub mod svg;

pub use card::{CARDS, Card, Occupancy, card};
pub use picture::picture;
pub use plugin::{Plugin, can_build, tools};
pub use record::{Access, Branch, Kind, Launch, Moment, Operation, Work, read};
pub use report::{COUNTERS, counters, report};

/// The size of a sector in bytes, which is the smallest memory transfer.
pub const SECTOR: u64 = 32;

/// The size of a cache line in bytes.
pub const LINE: u64 = 128;

/// The number of banks of local memory, each 4 bytes wide.
pub const BANKS: u64 = 32;
