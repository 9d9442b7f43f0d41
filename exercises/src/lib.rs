//! The exercise harness: what all checks share, so that a check holds its
//! lesson and nothing else.
//!
//! A check is a program under `checks/`, one for each exercise. It includes
//! the file that the learner edits and walks through a few steps, each a
//! function that says what is wrong or nothing. It can be run by itself,
//! `cargo test -p exercises --test mul_rule`; `cargo learn check` runs it too
//! and keeps the progress.
//!
//! Reading order: [`check`] is the frame of every check, [`check_on_device`] of
//! one whose steps need a device, [`Outcome`] is how a step ends, [`judge()`]
//! finds the wrong rule on a tape, [`numbers`] are inputs that hide no mistake,
//! [`elsewhere()`] is a device without hardware, [`Kernel`] runs a learner's
//! kernel, [`on_tensors`] runs one that a learner's program launches.

#![allow(unsafe_code)]

mod child;
mod device;
mod drop_depth;
mod elsewhere;
mod frame;
mod judge;
mod kernel;
mod mistakes;
mod numbers;
mod oclgrind;
mod outputs;
mod panics;
mod parent;
mod report;
mod source;
mod speed;
mod tensors;
mod token;
mod verdict;

pub use device::check_on_device;
pub use drop_depth::{DepthProbe, drops_inside_drops};
pub use elsewhere::{copies, elsewhere, namesake};
pub use frame::{Step, check};
pub use judge::{expect, judge, values};
pub use kernel::{Argument, Kernel, check_fast_kernel, check_kernel, counting};
pub use numbers::numbers;
pub use source::without;
pub use speed::{Judge, evenly, gathered, slow, sparing, spread, together};
pub use tensors::on_tensors;
pub use verdict::{Outcome, Stop, wrong};

/// The path of a file that the learner edits.
///
/// Cargo sets the variable (`.cargo/config.toml`), and rebuilds the check,
/// and nothing else, when the variable or the file changes.
#[macro_export]
macro_rules! path {
    ($file:literal) => {
        concat!(env!("RUNGRAD_EXERCISES"), "/", $file)
    };
}

/// Declares `mod yours`, the learner's file, and `YOURS`, its path.
///
/// The file is included and is no module of any crate: the formatter, the
/// lints and every other build never see it, so whatever stands in it harms
/// this one check only. What a file in the making is full of, unused names,
/// is no news here.
#[macro_export]
macro_rules! yours {
    ($file:literal) => {
        const YOURS: &str = $crate::path!($file);

        #[allow(unused, unreachable_code, unreachable_pub, clippy::all)]
        mod yours {
            include!($crate::path!($file));
        }
    };
}
