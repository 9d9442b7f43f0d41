//! Is the specification any good? Each test plants one fault in an engine
//! and shows the sentence that fails, and that its message says what is
//! wrong. Without the fault the same sentence passes.

// Everything in a test is its own.
#![allow(unreachable_pub)]

mod faulty;
mod miniature;
mod rules;
mod sweeps;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message with which `work` fails.
#[track_caller]
fn failure(work: impl FnOnce()) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(work)) else {
        panic!("the fault was not caught");
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
