//! The counters of a GPU without one: what a kernel would make a warp do.
//!
//! Oclgrind runs the kernel on the processor, item after item, and
//! `plugin.cpp` writes down who touched which address. Warps are put together
//! from that: a warp is 32 items of a group whose numbers follow one another,
//! and the n-th time that each of them comes by an instruction, between two
//! barriers, is one moment.
//!
//! Reading order: [`Plugin`] runs a program so, [`Launch`] is what it wrote,
//! `count` what an access costs, [`Card`] what a device has room for, and
//! [`report`] and [`picture`] show it.

mod card;
mod count;
mod name;
mod picture;
mod plugin;
mod record;
mod report;
pub mod svg;

pub use card::{CARDS, Card, Home, card};
pub use picture::picture;
pub use plugin::{Plugin, can_build, tools};
pub use record::{Access, Branch, Kind, Launch, Moment, Operation, Work, read};
pub use report::{COUNTERS, counters, report};

/// The bytes that a device fetches at least: a sector of a line.
pub const SECTOR: u64 = 32;

/// The bytes of a line of a cache.
pub const LINE: u64 = 128;

/// The banks of local memory, each of 4 bytes.
pub const BANKS: u64 = 32;
