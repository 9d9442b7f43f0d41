//! The line of a program that asked for an operation: what is put off and then
//! fails can still name it.

use std::cell::Cell;
use std::panic::Location;

type Place = &'static Location<'static>;

thread_local! {
    static CALLER: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Remembers the line that called its caller.
#[track_caller]
pub(super) fn note() {
    CALLER.set(Some(Location::caller()));
}

/// Returns the line that asked for the operation that this thread computes.
pub(super) fn caller() -> Option<Place> {
    CALLER.get()
}
