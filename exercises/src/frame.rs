//! The frame of every check: a parent that watches, and a child that walks
//! through the steps.

use std::cell::Cell;
use std::env;
use std::process::ExitCode;

use crate::page::{self, filled};
use crate::verdict::{Code, Outcome, Stop};
use crate::{child, panics, watch};

/// A step of a check: what it shows, in words for the learner, and how.
pub type Step<C> = (&'static str, fn(&C) -> Outcome);

/// The `main` of the check of a Rust exercise. `file` is the learner's.
pub fn check(
    id: &'static str,
    file: &'static str,
    steps: &[Step<()>],
) -> ExitCode {
    frame(id, file, Kind::Code, |_| Ok(()), steps)
}

/// What the learner writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Kernel,
}

/// What the child runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The machine as it is.
    Plain,
    /// Oclgrind, which simulates a device and looks at every access.
    Simulated,
}

/// Set in the child, where it names the role.
pub(crate) const ROLE: &str = "RUNGRAD_CHECK_ROLE";

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Plain => "plain",
            Role::Simulated => "simulated",
        }
    }

    fn of_this_process() -> Option<Role> {
        let name = env::var(ROLE).ok()?;
        [Role::Plain, Role::Simulated].into_iter().find(|it| it.name() == name)
    }
}

pub(crate) fn frame<C>(
    id: &'static str,
    file: &'static str,
    kind: Kind,
    prepare: impl FnOnce(Role) -> Result<C, Stop>,
    steps: &[Step<C>],
) -> ExitCode {
    page::shorten_paths_of(file);
    let code = match Role::of_this_process() {
        None => watch::watch(id, file, kind),
        Some(role) => walk(id, file, || prepare(role), steps),
    };
    ExitCode::from(code as u8)
}

/// In the child: one step after the other, up to the first that fails.
fn walk<C>(
    id: &str,
    file: &'static str,
    prepare: impl FnOnce() -> Result<C, Stop>,
    steps: &[Step<C>],
) -> Code {
    child::end_with_the_parent();
    let now = Cell::new("before the first step");
    let outcome = panics::caught(file, || {
        let context = prepare()?;
        for (what, step) in steps {
            now.set(what);
            step(&context)?;
            println!("  ok  {what}");
        }
        Ok(())
    });
    let Err(stop) = outcome else { return Code::Solved };
    match &stop {
        Stop::Wrong { words, tape } => {
            print!("\nfailing: {}\n\n{}", now.get(), filled(words));
            if let Some((tape, blamed)) = tape {
                print!("\n{}", page::tape(id, tape, *blamed));
            }
        }
        Stop::ToDo(words) => {
            let words = format!(
                "to do: {words}\nIt fails as long as that line is there: put \
                 your own in its place."
            );
            print!("\n{}", filled(&words));
        }
        Stop::Skipped(why) => {
            print!("\n{}", filled(&format!("skipped: {why}")));
        }
    }
    stop.code()
}
