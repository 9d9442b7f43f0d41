//! Tests the specification itself: each test plants one bug in an engine, and
//! checks that the test which should catch it fails with a message that names
//! the cause. The same engine without the bug passes.

// All modules belong to this test program.
#![allow(unreachable_pub)]

mod backward_pass;
mod buggy_part1;
mod miniature;
mod rules;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the panic message of `work`.
#[track_caller]
fn failure(work: impl FnOnce()) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(work)) else {
        panic!("the bug was not caught");
    };
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(other) => other.downcast_ref::<&str>().expect("text").to_string(),
    }
}

#[track_caller]
fn says(message: &str, words: &[&str]) {
    for words in words {
        assert!(message.contains(words), "no `{words}` in:\n{message}");
    }
}
