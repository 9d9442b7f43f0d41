//! Remembers the user's source line of the current operation, so that an error
//! in deferred work can still name it.

use std::cell::Cell;
use std::panic::Location;

type SourceLine = &'static Location<'static>;

thread_local! {
    static CALLER: Cell<Option<SourceLine>> = const { Cell::new(None) };
}

/// Stores the location of the caller's caller.
#[track_caller]
pub(super) fn note() {
    CALLER.set(Some(Location::caller()));
}

/// Returns the source line of the operation that this thread is computing. A
/// backend that defers work can store it, to name the line in a later error.
pub fn caller() -> Option<&'static Location<'static>> {
    CALLER.get()
}
