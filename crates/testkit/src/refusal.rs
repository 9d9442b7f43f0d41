//! Catches the panic that rejects a call, and checks the line that it names.

use std::cell::RefCell;
use std::panic::{self, Location};
use std::sync::Once;

use rungrad::{Result, attempt};

thread_local! {
    /// File and line of the last panic of this thread.
    static LOCATION: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Returns the message with which `work` is rejected. The panic must name a
/// line of the call itself, so that users see their own mistake instead of the
/// inside of the library.
#[track_caller]
pub fn refusal<T>(work: impl FnOnce() -> T) -> String {
    refusal_of("the call", work)
}

/// Like [`refusal`], for one of several calls in the same line. `what` names
/// it.
#[track_caller]
pub fn refusal_of<T>(what: &str, work: impl FnOnce() -> T) -> String {
    let mut work = Some(work);
    let mut once = || drop(work.take().expect("it is called once")());
    refused(what, &mut once)
}

/// Not generic, because there are hundreds of calls.
#[track_caller]
fn refused(what: &str, work: &mut dyn FnMut()) -> String {
    record_panic_locations();
    let here = Location::caller();
    let sentence = mistake(what, attempt(work));
    let (file, line) = LOCATION.take().expect("a panic has a place");
    // A call may span several lines.
    let call = here.line()..here.line() + 8;
    assert!(
        file == here.file() && call.contains(&line),
        "{what} was refused at {file}:{line}, not where it was called, at \
         {here}: {sentence}"
    );
    sentence
}

/// Returns the message of an expected error.
#[track_caller]
pub fn mistake<T>(what: &str, result: Result<T>) -> String {
    match result {
        Err(error) if error.exit_code() == 2 => error.to_string(),
        Err(other) => panic!("{what} is a mistake of another kind: {other:?}"),
        Ok(_) => panic!("{what} was not refused"),
    }
}

/// Installs a panic hook that records the location and calls the previous
/// hook.
fn record_panic_locations() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The hook of `attempt` prints nothing for the panics that it catches.
        // It must be installed first, because this hook calls the previous one.
        attempt(|| ()).expect("nothing happens");
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| (l.file().into(), l.line()));
            LOCATION.set(place);
            usual(info);
        }));
    });
}
