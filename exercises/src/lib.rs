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
//! one whose steps need a device, [`check_levels`] of what grows, [`Outcome`] is how a step ends, [`judge()`]
//! finds the wrong rule on a tape, [`numbers`] are inputs that hide no mistake,
//! [`elsewhere()`] is a device without hardware, [`Kernel`] runs a learner's
//! kernel, [`check_kernel_text`] and [`on_tensors`] run one that a learner's program launches, [`tier()`]
//! counts what of a milestone is the reader's, [`drawn`] is a value of a variant.

#![allow(unsafe_code)]
#![cfg_attr(
    not(feature = "opencl"),
    allow(dead_code, reason = "checks of kernels need the rest")
)]

mod again;
mod answer;
mod child;
#[cfg(feature = "opencl")]
mod device;
#[cfg(feature = "opencl")]
mod driver;
mod drop_depth;
#[cfg(feature = "opencl")]
mod elsewhere;
mod findings;
mod frame;
mod group;
mod hole;
mod judge;
#[cfg(feature = "opencl")]
mod kernel;
mod levels;
mod mistakes;
mod numbers;
mod oclgrind;
mod output;
#[cfg(feature = "opencl")]
mod outputs;
mod panics;
mod parent;
mod report;
mod source;
mod speed;
#[cfg(feature = "opencl")]
mod tensors;
mod tier;
mod token;
mod verdict;

pub use again::{again, drawn};
pub use answer::Answer;
#[doc(hidden)]
pub use answer_module::answer_module;
#[cfg(feature = "opencl")]
pub use device::{check_kernel_text, check_on_device};
pub use drop_depth::{DepthProbe, drops_inside_drops};
#[cfg(feature = "opencl")]
pub use elsewhere::{copies, elsewhere, namesake};
pub use frame::{Step, check};
pub use judge::{accuse, expect, judge, values};
#[cfg(feature = "opencl")]
pub use kernel::{Argument, Kernel, check_fast_kernel, check_kernel, counting};
#[cfg(feature = "opencl")]
pub use levels::check_kernel_levels;
pub use levels::{Growing, check_levels, limited, stage};
pub use numbers::numbers;
pub use report::{root, shown};
pub use source::{says, without};
pub use speed::{Judge, evenly, gathered, slow, sparing, spread, together};
#[cfg(feature = "opencl")]
pub use tensors::on_tensors;
pub use tier::tier;
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

/// Declares `mod yours`, the learner's file, and `YOURS`, its [`Answer`].
///
/// The declaration is the result of a macro, so the formatter and every other
/// build never see the file, and an error in it concerns this check only.
/// Lints about unused names are off, because an unfinished file is full of
/// them.
///
/// rust-analyzer sets the condition of its name, builds nothing and runs no
/// such macro; it finds the file by a path relative to the check.
#[macro_export]
macro_rules! yours {
    ($file:literal) => {
        const YOURS: $crate::Answer = $crate::Answer {
            path: $crate::path!($file),
            compiled: Some(include_str!($crate::path!($file))),
        };

        #[path = ".."]
        #[allow(unused, unreachable_code, unreachable_pub, clippy::all)]
        #[allow(unexpected_cfgs)]
        mod files {
            // In the learner's file, `super` has the names of the check.
            use super::*;
            #[cfg(not(rust_analyzer))]
            $crate::answer_module!($file);
            #[cfg(rust_analyzer)]
            #[path = $file]
            pub(crate) mod yours;
        }
        use files::yours;
    };
}
