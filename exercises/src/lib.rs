//! The exercise harness: the code that all checks share, so that a check
//! contains only its lesson.
//!
//! A check is a program in `checks/`, one per exercise. It includes the file
//! that the learner edits and runs a few steps, each a function that returns
//! `Ok` or says what is wrong. It can be run by itself with `cargo test -p
//! exercises --test mul_rule`; `cargo learn check` also runs it and records
//! the progress.
//!
//! Reading order: [`check`] is the structure of every check, [`check_test`] is
//! for exercises in which the learner writes a test, [`check_answer`] for
//! exercises that a page of the book checks too, with the same [`steps`],
//! [`check_on_device`] is for steps that need a device, [`check_levels`] for
//! exercises with levels. [`Outcome`] is how a step ends, [`judge()`] finds
//! the wrong rule on a tape, [`numbers`] are inputs that reveal mistakes,
//! [`elsewhere()`] is a device without hardware, [`Kernel`] runs a learner's
//! kernel, [`check_kernel_text`] and [`on_tensors`] run one that a learner's
//! program launches, [`tier()`] counts which parts of a milestone are the
//! reader's, [`run_ranks`] runs ranks that exchange messages, [`drawn`] is a
//! value of a variant, and [`either`] and [`choose`] distinguish it from the
//! exercise.

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
#[cfg(feature = "engine")]
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
mod ranks;
mod report;
mod source;
mod speed;
pub mod steps;
#[cfg(feature = "opencl")]
mod tensors;
mod tier;
mod token;
mod verdict;

pub use again::{again, choose, drawn, drawn_reduction, either};
pub use answer::Answer;
#[doc(hidden)]
pub use answer_module::answer_module;
#[cfg(feature = "opencl")]
pub use device::{check_kernel_text, check_on_device};
pub use drop_depth::{DepthProbe, drops_inside_drops};
#[cfg(feature = "engine")]
pub use elsewhere::{copies, elsewhere, namesake};
pub use frame::{Step, check, check_answer, check_test, verdict};
pub use judge::{accuse, expect, judge, values};
#[cfg(feature = "opencl")]
pub use kernel::{Argument, Kernel, check_fast_kernel, check_kernel, counting};
#[cfg(feature = "opencl")]
pub use levels::check_kernel_levels;
pub use levels::{Growing, check_levels, limited, stage};
pub use numbers::numbers;
pub use ranks::{Link, Order, Run, Sent, every_order, run_ranks};
pub use report::{root, shown, with_commas};
pub use source::{says, without};
pub use speed::{Judge, evenly, gathered, slow, sparing, spread, together};
#[cfg(feature = "opencl")]
pub use tensors::on_tensors;
pub use tier::tier;
pub use verdict::{Outcome, Stop, wrong};

/// The path of a file that the learner edits.
///
/// Cargo sets the variable (`.cargo/config.toml`). When the variable or the
/// file changes, only the check is rebuilt.
#[macro_export]
macro_rules! path {
    ($file:literal) => {
        concat!(env!("RUNGRAD_EXERCISES"), "/", $file)
    };
}

/// Declares `mod yours`, the learner's file, and `YOURS`, its [`Answer`].
///
/// The module is declared by a procedural macro, so that the formatter and
/// other builds never read the file, and an error in it affects only this
/// check. Lints about unused names are disabled, because an unfinished file
/// has many.
///
/// rust-analyzer does not expand the macro here; it finds the file by a path
/// relative to the check.
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
            // In the learner's file, `super` has the check's imports.
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
