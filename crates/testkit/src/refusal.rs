//! Catches a panic that rejects a call: its message, and the line that it
//! names.

use std::cell::RefCell;
use std::panic::{self, Location};
use std::sync::Once;

use rungrad::{Error, Result, attempt};

thread_local! {
    /// File and line of the last panic of this thread.
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Returns the message with which `work` is rejected. The panic must name a line
/// of the call itself, so that users see their own mistake instead of the inside
/// of the library.
#[track_caller]
pub fn refusal<T>(work: impl FnOnce() -> T) -> String {
    refusal_of("the call", work)
}

/// Like [`refusal`], for one of several calls in the same line; `what` names it.
#[track_caller]
pub fn refusal_of<T>(what: &str, work: impl FnOnce() -> T) -> String {
    let mut work = Some(work);
    let mut once = || drop(work.take().expect("it is called once")());
    refused(what, &mut once)
}

/// For all calls at once, since there are hundreds.
#[track_caller]
fn refused(what: &str, work: &mut dyn FnMut()) -> String {
    watch();
    let here = Location::caller();
    let sentence = mistake(what, attempt(work));
    let (file, line) = PLACE.take().expect("a panic has a place");
    // A call that is wrapped takes a few lines.
    let call = here.line()..here.line() + 8;
    assert!(
        file == here.file() && call.contains(&line),
        "{what} was refused at {file}:{line}, not where it was called, at \
         {here}: {sentence}"
    );
    sentence
}

/// The sentence of a mistake.
#[track_caller]
pub fn mistake<T>(what: &str, result: Result<T>) -> String {
    match result {
        Err(Error::Mistake(sentence)) => sentence,
        Err(other) => panic!("{what} is a mistake of another kind: {other:?}"),
        Ok(_) => panic!("{what} was not refused"),
    }
}

/// Notes the place of every panic, and hands it on.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The hook of `attempt` prints nothing for the panics that it catches.
        // It must be installed first, because this hook calls the previous one.
        attempt(|| ()).expect("nothing happens");
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| (l.file().into(), l.line()));
            PLACE.set(place);
            usual(info);
        }));
    });
}
