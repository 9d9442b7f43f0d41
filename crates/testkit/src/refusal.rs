//! Catches a refusal: its sentence, and the line that it blames.

use std::cell::RefCell;
use std::panic::{self, Location};
use std::sync::Once;

use rungrad::{Error, Result, attempt};

thread_local! {
    /// File and line of the last panic of this thread.
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// The sentence that `work` was refused with. The panic must name a line of
/// the call itself: whoever reads it should see their own mistake, not the
/// inside of the library.
#[track_caller]
pub fn refusal<T>(work: impl FnOnce() -> T) -> String {
    refusal_of("the call", work)
}

/// The same of a call that is one of many at its line.
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
        // The hook of `attempt` keeps quiet about what it catches; it must
        // stand behind this one, or this one never hears of it.
        attempt(|| ()).expect("nothing happens");
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| (l.file().into(), l.line()));
            PLACE.set(place);
            usual(info);
        }));
    });
}
