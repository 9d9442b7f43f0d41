//! Reports a failed law: its source up to the failing line, the values, and
//! the tape.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{backtrace::Backtrace, fs};

use exercises::{Outcome, Stop, accuse, root, shown};
use rungrad::Error;
use rungrad::tape::Tape;

use crate::ladder::{Law, Level};
use crate::levels::LEVELS;
use crate::mine::{SWEEP, State, has_reached, take_state};
use crate::table::{Handle, Missing};
use crate::tape;
use crate::{engine, reader_file};

/// The message and the location of a panic.
#[derive(Clone, Default)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    /// If the panic was elsewhere, the line in the reader's file that led to
    /// it.
    yours: Option<String>,
}

static LAST: Mutex<Option<Panic>> = Mutex::new(None);

/// Returns the most recent panic.
pub(crate) fn last_panic() -> Panic {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.clone().unwrap_or_default()
}

/// Records every panic from now on instead of printing it.
pub(crate) fn record_panics() {
    panic::set_hook(Box::new(|info| {
        if info.payload().is::<Missing>() {
            return;
        }
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(to_panic(info));
    }));
}

fn to_panic(info: &PanicHookInfo<'_>) -> Panic {
    let message = info.payload_as_str().unwrap_or("a panic without a message");
    let (file, line) = match info.location() {
        Some(place) => (place.file().to_string(), place.line()),
        None => (String::new(), 0),
    };
    let is_known = file == reader_file() || is_law_file(&file);
    let yours = if is_known { None } else { innermost_reader_line() };
    Panic { message: message.to_string(), file, line, yours }
}

fn is_law_file(file: &str) -> bool {
    file.contains("testkit/src/") || file.contains("my_engine/src/")
}

/// Returns the innermost_reader_line stack frame's line in the reader's file.
fn innermost_reader_line() -> Option<String> {
    // A backtrace abbreviates paths, so compare only the last two components.
    let mut names = reader_file().rsplit('/');
    let (name, folder) = (names.next()?, names.next()?);
    let trace = Backtrace::force_capture().to_string();
    let (_, rest) = trace.split_once(&format!("{folder}/{name}:"))?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit());
    digits.into_iter().next().map(str::to_string)
}

/// Runs one law.
pub(crate) fn run_law<E>(engine: &E, (name, law): Law<E>) -> Outcome {
    drop(take_state());
    let broken = catch_unwind(AssertUnwindSafe(|| law(engine)));
    let state = take_state();
    match broken {
        Ok(()) => Ok(()),
        // A law with its own verdict throws it.
        Err(payload) => Err(match payload.downcast::<Stop>() {
            Ok(stop) => *stop,
            Err(payload) => match payload.downcast_ref::<Missing>() {
                Some(Missing(lost)) => missing(lost),
                None => stop(name, &last_panic(), state),
            },
        }),
    }
}

/// Runs `work` and turns a missing function or a panic into an error.
pub(crate) fn catch_panic(
    work: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    record_panics();
    let payload = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => return done,
        Err(payload) => payload,
    };
    let Some(Missing(name)) = payload.downcast_ref() else {
        let Panic { message, file, line, yours } = last_panic();
        let line = match file == reader_file() {
            true => Some(line.to_string()),
            false => yours,
        };
        let place = shown(reader_file());
        let place = line.map_or(place.clone(), |it| format!("{place}:{it}"));
        return Err(Error::Mistake(format!(
            "your code stopped at {place}: {message}"
        )));
    };
    let asks = |level: &&Level<_>| level.needs.iter().any(|it| it.0 == *name);
    let level = LEVELS.iter().zip(1..).find(|(level, _)| asks(level));
    let where_ = level.map_or(String::new(), |(level, number)| {
        format!(": level {number}, {}, requires it", level.name)
    });
    Err(Error::Mistake(format!(
        "your engine has no `{name}` yet{where_}; `cargo learn check \
         my_engine` shows what is next"
    )))
}

fn missing(name: &str) -> Stop {
    Stop::ToDo(format!(
        "your engine has no {name} that the check can call: make it `pub`, \
         with the signature that its level requires"
    ))
}

fn stop(law: &str, panic: &Panic, state: State) -> Stop {
    let Panic { message, file, line, yours } = panic;
    let mine = shown(reader_file());
    let at = match (file == reader_file(), yours) {
        (true, _) => Some(line.to_string()),
        (false, yours) if !is_law_file(file) => yours.clone(),
        _ => None,
    };
    if let Some(task) = message.strip_prefix("not yet implemented")
        && let Some(line) = &at
    {
        return Stop::ToDo(format!("{mine}:{line} still says todo!(){task}"));
    }
    let mut words = String::new();
    if is_law_file(file) {
        words += &quote_law(law, file, *line);
        words += &assertion_text(message);
    } else {
        let place = at.map_or(mine.clone(), |line| format!("{mine}:{line}"));
        words += &format!("Your code stopped at {place}: {message}\n");
        words += &running_operation(&state);
        words += &quote_law(law, file, 0);
    }
    let tape = catch_unwind(AssertUnwindSafe(|| last_tape(&state)));
    match tape.ok().flatten() {
        None => Stop::Wrong { words, tape: None },
        Some((tape, blame)) => {
            let at = blame.as_ref().map(|(at, _)| *at);
            if let Some((_, blame)) = blame {
                // The rule on the tape has a better diagnosis.
                if words.contains(UNKNOWN)
                    && let Some((first, _)) = words.split_once("\n  index ")
                {
                    words = format!("{first}\n");
                }
                words += &format!("\n{blame}\n");
            }
            words += "\nThe tape:";
            Stop::Wrong { words, tape: Some((tape, at)) }
        }
    }
}

/// The diagnosis of a gradient that matches no general pattern.
const UNKNOWN: &str = "diagnosis: no known pattern";

/// Describes the operation that was running when the engine stopped.
fn running_operation(state: &State) -> String {
    let Some((name, of)) = &state.asked else { return String::new() };
    let shape = |it: &Handle| format!("{:?}", (engine().shape)(it));
    let shapes: Vec<String> = of.iter().map(shape).collect();
    format!("The operation was {name} of {}.\n", shapes.join(" and "))
}

/// Formats an assertion message as verdicts do.
fn assertion_text(message: &str) -> String {
    let cut = |text: &str| -> String {
        let short: String = text.chars().take(200).collect();
        if short.len() < text.len() { short + " .." } else { short }
    };
    if message.starts_with("called `Option::unwrap()` on a `None`") {
        return "  yours  None, but a value was expected\n".to_string();
    }
    if message.contains("with the labels []") && message.ends_with("not NaN") {
        return format!(
            "{message}. The mean of no losses is 0 / 0, which is NaN: a 0 \
             would look like perfect answers.\n"
        );
    }
    // The reader's own message may quote an assertion.
    let is_ours = message.starts_with("assertion ");
    let sides = message.split_once("\n  left: ").filter(|_| is_ours);
    let sides = sides.and_then(|(head, rest)| {
        let (left, right) = rest.split_once("\n right: ")?;
        Some((head, left, right))
    });
    match sides {
        None => format!("{message}\n"),
        Some((head, left, right)) => {
            let (_, note) = head.split_once("failed: ").unwrap_or_default();
            let note = match note {
                "" => String::new(),
                note => format!("{note}\n"),
            };
            let where_ = first_difference(left, right);
            let where_ = where_.map_or(String::new(), |it| format!("  {it}\n"));
            let (left, right) = (cut(left), cut(right));
            format!("{note}  yours  {left}\n  right  {right}\n{where_}")
        }
    }
}

/// Finds the first difference between two long lists.
fn first_difference(left: &str, right: &str) -> Option<String> {
    let list = |text: &str| -> Option<Vec<String>> {
        let text = text.trim_end().strip_prefix('[')?.strip_suffix(']')?;
        Some(text.split(", ").map(str::to_string).collect())
    };
    let (left, right) = (list(left)?, list(right)?);
    if left.len() != right.len() || left.len() <= 8 {
        return None;
    }
    let all = left.len();
    let pairs = left.iter().zip(&right).enumerate();
    let unlike: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
    let (at, (yours, right)) = unlike.first()?;
    let count = unlike.len();
    Some(format!(
        "{count} of {all} differ; the first is [{at}]: yours {yours}, right \
         {right}"
    ))
}

/// Quotes a law up to the failing line, if that line is in the law itself.
fn quote_law(law: &str, file: &str, line: u32) -> String {
    let Some(root) = root(reader_file()) else { return String::new() };
    let files = ["spec", "edges", "refusals", "network"];
    let files = files.map(|name| format!("crates/testkit/src/{name}.rs"));
    let own =
        ["laws.rs", "device/laws.rs", "device/laws/many.rs", "kernels/laws.rs"];
    let own = own.map(|name| format!("my_engine/src/{name}"));
    let places = files.iter().chain(&own).filter_map(|place| {
        let text = fs::read_to_string(root.join(place)).ok()?;
        let starts = [format!("fn {law}<"), format!("fn {law}(")];
        let at = text.lines().position(|line| {
            starts.iter().any(|start| line.contains(start.as_str()))
        });
        Some((place.clone(), text.clone(), at?))
    });
    let Some((place, text, start)) = places.into_iter().next() else {
        return String::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let count = lines[start..].iter().take_while(|it| **it != "}").count();
    let end = start + count;
    let broken = Path::new(file)
        .file_name()
        .filter(|name| place.ends_with(&*name.to_string_lossy()))
        .map(|_| line as usize - 1)
        .filter(|at| (start..end).contains(at));
    let mut page = format!("  {place}:{}\n", broken.unwrap_or(start) + 1);
    // Include its documentation, which explains why the law holds.
    let above = lines[..start].iter().rev();
    let above = above.take_while(|line| line.starts_with("///")).count();
    for line in &lines[start - above..start] {
        page += &format!("  | {line}\n");
    }
    let last = broken.unwrap_or(end - 1);
    let mut is_open = true;
    for (at, line) in lines[start + 1..end].iter().enumerate() {
        let at = at + start + 1;
        if at > last && !is_open {
            break;
        }
        if at >= last {
            is_open = !line.trim_end().ends_with(';') && broken.is_some();
        }
        let sign = if Some(at) == broken { '>' } else { '|' };
        page += &format!("  {sign} {}\n", line.trim_end());
    }
    page + "\n"
}

/// Maximum number of tensors in a tape that is printed.
const MAX_TAPE_RECORDS: usize = 24;

/// Returns the tape of the law's last computation and the first wrong rule.
fn last_tape(state: &State) -> Option<(Tape, Option<(usize, String)>)> {
    let root = state.last.as_ref()?;
    let known = Cell::new(None);
    let is_judged = has_reached(SWEEP) && state.is_swept_once(root);
    if is_judged {
        let tape = tape::with_gradients(root, &state.seed);
        let blame = tape::without_unknown_ops(tape.clone()).blame();
        let words = blame.map(|it| (it.at(), accuse(&tape, &it)));
        known.set(Some((tape, words)));
    }
    let (mut tape, blame) = match known.take() {
        Some(known) => known,
        None => (tape::values(root), None),
    };
    // A single leaf has no history.
    if tape.records.len() > MAX_TAPE_RECORDS || tape.records.len() == 1 {
        return None;
    }
    let leaves = tape.records.iter().filter(|it| it.parents.is_empty());
    let leaves: Vec<u64> = leaves.map(|it| it.id).collect();
    for (id, name) in leaves.into_iter().zip('a'..='z') {
        tape.set_name(id, &name.to_string());
        if !is_judged && has_reached(SWEEP) {
            let at = tape.position(id).expect("it is there");
            tape.records[at].grad = tape::grad(root, id);
        }
    }
    Some((tape, blame))
}
