//! Errors as sentences, used from "One expression, three engines" on.
//!
//! Two kinds of thing go wrong. A programmer's mistake (shapes that do not
//! fit) panics at the caller's line, as ndarray does: a `Result` on every `+`
//! would hide the mathematics. What the machine may refuse (no driver, no
//! memory) is an [`Error`]. Operations cannot return one, so they [`raise`]
//! it: a panic with the error's own sentence, which [`attempt`] turns back
//! into the [`Error`]. A program hands its `main` to [`run`](crate::run).
//!
//! Reading order: [`Error`], [`raise`], [`attempt`].

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// What went wrong, each variant one readable sentence with its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The words on the command line, or an input, are wrong.
    Usage(String),
    /// A programmer's mistake: shapes, axes or devices that do not fit.
    Mistake(String),
    /// No OpenCL loader or no driver on this system.
    NoOpenCl(String),
    /// The device that was asked for is not there.
    NoDevice(String),
    /// A kernel did not compile; the sentence quotes its line, the log is
    /// whole.
    Build {
        /// The first complaint, with file and line.
        sentence: String,
        /// Everything the compiler said.
        log: String,
    },
    /// The device refused memory, a launch or a copy.
    Device(String),
    /// A file could not be read or written.
    File(String),
}

impl Error {
    /// Returns the code that a program exits with: 2 for usage, 1 for the
    /// rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) | Error::Mistake(_) => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(sentence)
            | Error::Mistake(sentence)
            | Error::NoOpenCl(sentence)
            | Error::NoDevice(sentence)
            | Error::Build { sentence, .. }
            | Error::Device(sentence)
            | Error::File(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Error {}

/// What may be refused: a value, or the sentence that says why there is none.
pub type Result<T, E = Error> = std::result::Result<T, E>;

thread_local! {
    /// The error behind the panic that is unwinding this thread.
    static RAISED: RefCell<Option<Error>> = const { RefCell::new(None) };
    /// Whether an [`attempt`] of this thread waits for a raised error.
    static ATTEMPTING: Cell<bool> = const { Cell::new(false) };
}

/// Panics at the caller's line with the error's own sentence.
#[track_caller]
pub fn raise(error: Error) -> ! {
    let sentence = error.to_string();
    RAISED.set(Some(error));
    panic!("{sentence}")
}

/// Panics at the caller's line: a programmer's mistake.
#[track_caller]
pub fn mistake(sentence: String) -> ! {
    raise(Error::Mistake(sentence))
}

/// Returns the value, or [`raise`]s its error at the caller's line.
#[track_caller]
pub(crate) fn or_raise<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

/// Reserves room for so many numbers, or says that there is none. Where a
/// vector grows by itself, a program that is out of memory ends without one.
pub(crate) fn room<T>(n: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    match room.try_reserve_exact(n) {
        Ok(()) => Ok(room),
        Err(_) => Err(Error::Device(format!(
            "the memory of the host has no room for {n} more numbers; use \
             smaller shapes, or free what is no longer needed"
        ))),
    }
}

/// Makes so many zeros.
pub(crate) fn zeros<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut zeros = room(n)?;
    zeros.resize(n, T::default());
    Ok(zeros)
}

/// Runs `work` and turns a raised error back into an [`Error`]. Any other
/// panic goes on as it was.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T> {
    quiet_hook();
    // Who catches a raised error by other means leaves it behind.
    RAISED.set(None);
    let outer = ATTEMPTING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    ATTEMPTING.set(outer);
    result.map_err(|payload| match RAISED.take() {
        Some(error) => error,
        None => panic::resume_unwind(payload),
    })
}

/// Keeps the panic hook quiet about an error that is raised inside an
/// [`attempt`]: whoever called that gets the error.
fn quiet_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let raised = RAISED.with_borrow(Option::is_some);
            if !(raised && ATTEMPTING.get()) {
                usual(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_panic_is_not_taken_for_an_older_error() {
        let raised = panic::catch_unwind(|| mistake("an old one".to_string()));
        assert!(raised.is_err());
        let other = panic::catch_unwind(|| attempt(|| panic!("another")));
        assert!(other.is_err(), "{other:?}");
    }
}
