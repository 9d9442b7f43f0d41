//! Turns a panic into a one-sentence verdict.
//!
//! A learner's code may panic, an operation of the engine may reject the
//! learner's arguments, and `todo!()` is a panic too. No backtrace is shown,
//! because only the line in the learner's file matters.

use std::backtrace::Backtrace;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

use crate::report::shown;
use crate::verdict::{Outcome, Stop, wrong};

/// The last panic's message, and its line in the learner's file.
struct LastPanic {
    message: String,
    line: Option<String>,
}

static LAST: Mutex<Option<LastPanic>> = Mutex::new(None);

/// Runs `work` and turns a panic into a verdict. `file` is the learner's.
pub(crate) fn caught(
    file: &'static str,
    work: impl FnOnce() -> Outcome,
) -> Outcome {
    panic::set_hook(Box::new(|info| {
        let panic =
            LastPanic { message: message(info), line: line(info, file) };
        *last() = Some(panic);
    }));
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        // A rule cannot return a verdict through the engine, so it panics with
        // one.
        match payload.downcast::<Stop>() {
            Ok(stop) => Err(*stop),
            Err(_) => Err(verdict(file)),
        }
    })
}

/// Panics with a verdict, for code that cannot return a `Result`.
pub(crate) fn throw(stop: Stop) -> ! {
    panic::resume_unwind(Box::new(stop))
}

fn last() -> std::sync::MutexGuard<'static, Option<LastPanic>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn verdict(file: &str) -> Stop {
    let Some(LastPanic { message, line }) = last().take() else {
        return wrong("Your code stopped without a message.");
    };
    let file = shown(file);
    let place = match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    };
    match message.strip_prefix("not yet implemented: ") {
        Some(task) if task.starts_with("TODO(") => {
            Stop::ToDo(format!("{place} still says {task}"))
        }
        _ => wrong(format!("Your code stopped at {place}: {message}")),
    }
}

fn message(info: &PanicHookInfo<'_>) -> String {
    info.payload_as_str().unwrap_or("a panic without a message").to_string()
}

/// Returns the learner's line: that of the panic or, if the engine or a
/// library panicked, the innermost stack frame in the learner's file.
fn line(info: &PanicHookInfo<'_>, file: &str) -> Option<String> {
    let location = info.location()?;
    if location.file() == file {
        return Some(location.line().to_string());
    }
    // A backtrace abbreviates paths, so compare only the last two components.
    let mut names = file.rsplit('/');
    let (name, folder) = (names.next()?, names.next()?);
    let marker = format!("{folder}/{name}:");
    let trace = Backtrace::force_capture().to_string();
    let (_, rest) = trace.split_once(&marker)?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit());
    digits.into_iter().next().map(str::to_string)
}
