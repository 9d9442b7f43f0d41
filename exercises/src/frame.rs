//! The structure of every check: a parent that watches, and a child that runs
//! the steps.

use std::cell::{Cell, RefCell};
use std::process::ExitCode;
use std::{env, fs};

use crate::answer::Answer;
use crate::hole::no_hole;
use crate::report::{self, columns, filled_within, shown};
use crate::speed::Speed;
use crate::token::{self, say};
use crate::verdict::{Code, Outcome, Stop, wrong};
use crate::{child, panics, parent};

/// A step of a check: what it tests, in words for the learner, and the
/// function.
pub type Step<C> = (&'static str, fn(&C) -> Outcome);

/// The `main` function of the check of a Rust exercise.
pub fn check(id: &'static str, file: Answer, steps: &[Step<()>]) -> ExitCode {
    frame(id, file, Kind::Code, None, |_| Ok(()), steps)
}

/// Like [`check`], for steps that receive the learner's function: a page of
/// the book runs the same steps on what its reader types.
pub fn check_answer<C>(
    id: &'static str,
    file: Answer,
    answer: C,
    steps: &[Step<C>],
) -> ExitCode {
    frame(id, file, Kind::Code, None, |_| Ok(answer), steps)
}

/// Runs the steps in this process, as a page of the book does. Returns whether
/// all of them passed, and the lines that the check prints in a terminal of
/// this width.
pub fn verdict<C>(
    id: &str,
    answer: &C,
    steps: &[Step<C>],
    columns: usize,
) -> (bool, String) {
    let (now, mut lines) = (Cell::new(""), String::new());
    let outcome = run(answer, steps, &now, |line| {
        lines += line;
        lines += "\n";
    });
    lines += &match &outcome {
        Ok(()) => solved(id, ""),
        Err(stop) => told(now.get(), stop, Some(columns)),
    };
    (outcome.is_ok(), lines)
}

/// The kind of file that the learner edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A Rust file.
    Code,
    /// A file of kernels.
    Kernel,
    /// A Rust file with the source of the kernel of this name.
    KernelText(&'static str),
}

/// The role of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Runs the steps on the machine's own devices.
    Plain,
    /// Runs the steps under Oclgrind, which simulates a device and checks
    /// every access.
    Simulated,
    /// Runs a known kernel instead of the steps, to test the driver.
    Probe,
}

/// Environment variable with the role; set only in a child.
pub(crate) const ROLE: &str = "RUNGRAD_CHECK_ROLE";

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Plain => "plain",
            Role::Simulated => "simulated",
            Role::Probe => "probe",
        }
    }

    pub(crate) fn of_this_process() -> Option<Role> {
        let name = env::var(ROLE).ok()?;
        let roles = [Role::Plain, Role::Simulated, Role::Probe];
        roles.into_iter().find(|it| it.name() == name)
    }
}

/// The `main` function of the check of an exercise in which the learner writes
/// a test: it must accept our right code, and reject it with each bug.
///
/// `what` names our code, such as "engine". `accepted` checks the right code,
/// and `is_accepted` runs the learner's test on the code with the bug of this
/// number, counted from 1. A bug that the test does not find is not named
/// before the learner has asked for a hint.
pub fn check_test(
    id: &'static str,
    file: Answer,
    what: &'static str,
    accepted: fn() -> Outcome,
    bugs: &'static [&'static str],
    is_accepted: fn(usize) -> bool,
) -> ExitCode {
    let right = format!("the right {what} is accepted");
    let all = bugs.len();
    let rejected = bugs.iter().zip(1..).map(|(bug, number)| {
        let title = match names_bugs() {
            true => format!("rejected: {bug}"),
            false => format!("{what} {number} of {all} must be rejected"),
        };
        let step = move || match (is_accepted(number), names_bugs()) {
            (false, _) => Ok(()),
            (true, true) => Err(wrong(format!(
                "Your test accepts the {what} with this bug: {bug}."
            ))),
            (true, false) => Err(wrong(format!(
                "Your test accepts {what} {number}, which has a bug. Which bug \
                 would your test miss? After a hint, the check names the bug."
            ))),
        };
        (title, format!("rejected: {bug}"), step)
    });
    framed(id, file, Kind::Code, None, |_| {
        let now = RefCell::new(right.clone());
        let outcome = panics::caught(file.path, || {
            accepted()?;
            say(&format!("  ok  {right}"));
            for (title, passed, step) in rejected {
                now.replace(title);
                step()?;
                say(&format!("  ok  {passed}"));
            }
            now.replace("after the last step".to_string());
            whole(id, file.path)
        });
        match outcome {
            Ok(()) => Code::Solved,
            Err(stop) => tell(id, &now.borrow(), &stop),
        }
    })
}

/// Set by the companion to the number of hints that the learner has seen.
const HINTS: &str = "RUNGRAD_HINTS_SEEN";

/// Returns whether a verdict may name a bug of ours: not before the first
/// hint.
fn names_bugs() -> bool {
    env::var(HINTS).map_or(true, |seen| seen != "0")
}

pub(crate) fn frame<C>(
    id: &'static str,
    file: Answer,
    kind: Kind,
    speed: Option<Speed>,
    prepare: impl FnOnce(Role) -> Result<C, Stop>,
    steps: &[Step<C>],
) -> ExitCode {
    framed(id, file, kind, speed, |role| {
        let code = walk(id, file.path, || prepare(role), steps);
        #[cfg(feature = "opencl")]
        if role == Role::Simulated {
            crate::oclgrind::leave_a_trace();
        }
        code
    })
}

/// Runs the parent of a check, or its child in the child's process.
pub(crate) fn framed(
    id: &'static str,
    file: Answer,
    kind: Kind,
    speed: Option<Speed>,
    work: impl FnOnce(Role) -> Code,
) -> ExitCode {
    report::shorten_paths_of(file.path);
    let code = match Role::of_this_process() {
        None => parent::watch(id, file, kind, speed),
        Some(role) => {
            token::receive();
            child::end_with_the_parent();
            let code = match (role, file.is_one_file()) {
                #[cfg(feature = "opencl")]
                (Role::Probe, _) => crate::driver::probe(),
                (_, Ok(())) => work(role),
                (_, Err(stop)) => tell(id, "before the first step", &stop),
            };
            token::conclude(code);
            code
        }
    };
    ExitCode::from(code.exit())
}

/// In the child, runs the steps in order up to the first that fails.
fn walk<C>(
    id: &str,
    file: &'static str,
    prepare: impl FnOnce() -> Result<C, Stop>,
    steps: &[Step<C>],
) -> Code {
    let now = Cell::new("before the first step");
    let outcome = panics::caught(file, || {
        let context = prepare()?;
        run(&context, steps, &now, say)?;
        now.set("after the last step");
        whole(id, file)
    });
    match outcome {
        Ok(()) => Code::Solved,
        Err(stop) => tell(id, now.get(), &stop),
    }
}

/// Runs the steps up to the first that fails. `now` has the title of the last
/// one that was started.
fn run<C>(
    context: &C,
    steps: &[Step<C>],
    now: &Cell<&'static str>,
    mut say: impl FnMut(&str),
) -> Outcome {
    for (what, step) in steps {
        now.set(what);
        step(context)?;
        say(&format!("  ok  {what}"));
    }
    Ok(())
}

/// Formats the last line of a verdict on a right answer.
pub(crate) fn solved(id: &str, how: &str) -> String {
    format!("\nsolved{how}: {id}\n")
}

/// Prints why a check has stopped, and at which step.
pub(crate) fn tell(id: &str, now: &str, stop: &Stop) -> Code {
    say(&told(now, stop, columns()));
    if let Stop::Wrong { tape: Some((tape, blamed)), .. } = stop {
        say(&report::picture(id, tape, *blamed));
    }
    stop.code()
}

fn told(now: &str, stop: &Stop, columns: Option<usize>) -> String {
    let filled = |words: &str| filled_within(words, columns);
    match stop {
        Stop::Wrong { words, tape } => {
            let table = tape.as_ref().map(|(tape, blamed)| {
                format!("\n{}", report::table(tape, *blamed, columns))
            });
            let table = table.unwrap_or_default();
            format!("\nfailing: {now}\n\n{}{table}", filled(words))
        }
        Stop::ToDo(words) => {
            let mut words = format!("to do: {words}");
            // A missing item has no line that could be replaced.
            if words.contains(" still says ") {
                words += "\nReplace that line with your code; until then the \
                          check fails.";
            }
            format!("\n{}", filled(&words))
        }
        Stop::Skipped(why) => {
            format!("\n{}", filled(&format!("skipped: {why}")))
        }
    }
}

/// Rejects a TODO in the file, because all steps may pass without executing
/// it.
pub(crate) fn whole(id: &str, file: &str) -> Outcome {
    let place = shown(file);
    let text = fs::read_to_string(file)
        .map_err(|error| wrong(format!("{place} cannot be read: {error}")))?;
    no_hole(id, &place, &text)
}
