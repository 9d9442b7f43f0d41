//! The error type and how operations report errors, used from "One expression,
//! three engines" on.
//!
//! There are two kinds of failure. A programmer's mistake, such as shapes that
//! do not match, panics at the caller's line, as in ndarray: a `Result` from
//! every `+` would hide the mathematics. A failure of the environment, such as
//! a missing driver or a lack of memory, is an [`Error`]. Operators cannot
//! return a `Result`, so they [`raise`] the error: they panic with its
//! message, and [`attempt`] turns the panic back into the [`Error`]. A program
//! passes its main function to [`run`](crate::run).
//!
//! Reading order: [`Error`], [`raise`], [`attempt`].

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// An error. Each variant holds a sentence that states the problem and the
/// remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// Invalid command-line arguments or input.
    Usage(String),
    /// A programmer's mistake: shapes, axes or devices that do not match.
    Mistake(String),
    /// No OpenCL loader or driver is installed.
    NoOpenCl(String),
    /// The requested device does not exist.
    NoDevice(String),
    /// A kernel did not compile.
    Build {
        /// The first error of the compiler, with file and line.
        sentence: String,
        /// The complete compiler log.
        log: String,
    },
    /// The device failed to allocate memory, to launch a kernel or to copy.
    Device(String),
    /// A file could not be read or written.
    File(String),
}

impl Error {
    /// Returns the exit code of a program that ends with this error: 2 for
    /// [`Error::Usage`] and [`Error::Mistake`], otherwise 1.
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

/// A `Result` with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

thread_local! {
    /// The error whose panic is unwinding this thread.
    static RAISED: RefCell<Option<Error>> = const { RefCell::new(None) };
    /// Whether this thread is inside an [`attempt`].
    static ATTEMPTING: Cell<bool> = const { Cell::new(false) };
}

/// Panics at the caller's line with the message of `error`.
#[track_caller]
pub fn raise(error: Error) -> ! {
    let sentence = error.to_string();
    RAISED.set(Some(error));
    panic!("{sentence}")
}

/// Panics at the caller's line with an [`Error::Mistake`].
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

/// Allocates capacity for `n` elements, or returns an error. A `Vec` that
/// fails to grow would abort the program instead.
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

/// Allocates `n` zeros, or returns an error.
pub(crate) fn zeros<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut zeros = room(n)?;
    zeros.resize(n, T::default());
    Ok(zeros)
}

/// Runs `work` and returns the [`Error`] that it raises, if any. Any other
/// panic continues to unwind.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T> {
    install_quiet_hook();
    // Clear an error that was raised earlier and caught by other means.
    RAISED.set(None);
    let outer = ATTEMPTING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    ATTEMPTING.set(outer);
    result.map_err(|payload| match RAISED.take() {
        Some(error) => error,
        None => panic::resume_unwind(payload),
    })
}

/// Replaces the panic hook once, so that an error raised inside an [`attempt`]
/// is not printed: the caller of `attempt` gets it as a value.
fn install_quiet_hook() {
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
    fn attempt_does_not_catch_other_panics() {
        let raised = panic::catch_unwind(|| mistake("an old one".to_string()));
        assert!(raised.is_err());
        let other = panic::catch_unwind(|| attempt(|| panic!("another")));
        assert!(other.is_err(), "{other:?}");
    }
}
