//! Exercises with levels: each level has laws, which run when all previous
//! levels have passed.

use std::cell::RefCell;
use std::env;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::answer::Answer;
use crate::child::{self, Ended, Ending, LIMIT_VARIABLE, Lines};
use crate::frame::{self, Kind, ROLE, Role};
#[cfg(feature = "opencl")]
use crate::kernel::Kernel;
#[cfg(feature = "opencl")]
use crate::oclgrind;
use crate::panics;
use crate::parent::{failing, sentence};
use crate::report::{self, filled};
use crate::token::{self, say};
use crate::verdict::{Code, Outcome, Stop};

/// An exercise with levels, counted from 1.
pub trait Growing {
    /// Returns the name of each level.
    fn names(&self) -> Vec<&'static str>;
    /// Checks that everything a level requires exists.
    fn begin(&self, level: usize) -> Outcome;
    /// Returns the laws of a level, as sentences.
    fn laws(&self, level: usize) -> Vec<String>;
    /// Runs one law of a level.
    fn law(&self, level: usize, law: usize) -> Outcome;
    /// Returns whether a law is small enough to run under Oclgrind.
    fn is_watched(&self, _level: usize, _law: usize) -> bool {
        true
    }
    /// Runs the final checks, after all levels have passed.
    fn end(&self) -> Outcome;
}

/// The `main` function of the check of a file with levels.
pub fn check_levels(
    id: &'static str,
    file: Answer,
    engine: &dyn Growing,
) -> ExitCode {
    let climb = |role| climb(id, file.path, role, engine);
    frame::framed(id, file, Kind::Code, None, climb)
}

/// The `main` function of the check of a file of kernels with levels.
/// Afterward, the laws that are small enough run under Oclgrind, for all
/// levels that have passed.
#[cfg(feature = "opencl")]
pub fn check_kernel_levels(
    id: &'static str,
    file: &'static str,
    growing: impl FnOnce(Kernel) -> Box<dyn Growing>,
) -> ExitCode {
    frame::framed(id, file.into(), Kind::Kernel, None, |role| {
        let code = match Kernel::open(id, file, "", role) {
            Ok(kernel) => climb(id, file, role, &*growing(kernel)),
            Err(stop) => frame::tell(id, "before the first level", &stop),
        };
        if role == Role::Simulated {
            oclgrind::leave_a_trace();
        }
        code
    })
}

/// The law that is running.
static LAW: Mutex<String> = Mutex::new(String::new());

/// Prints the current stage of a law, in case it crashes without a message.
pub fn stage(words: &str) {
    let law = LAW.lock().unwrap_or_else(PoisonError::into_inner);
    token::now(&format!("{law}, {words}"));
}

/// In the child, runs the laws in order up to the first that fails.
fn climb(
    id: &str,
    file: &'static str,
    role: Role,
    engine: &dyn Growing,
) -> Code {
    let is_watched = role == Role::Simulated;
    let now = RefCell::new(String::new());
    let at = |what: String| {
        token::now(&what);
        LAW.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&what);
        now.replace(what);
    };
    let outcome = panics::caught(file, || {
        let all = engine.names().len();
        token::stands(0, all);
        for (place, name) in engine.names().iter().enumerate() {
            let level = place + 1;
            at(format!("level {level}, {name}"));
            match engine.begin(level) {
                // Under Oclgrind, check only what exists.
                Err(Stop::ToDo(_)) if is_watched => return Ok(()),
                begun => begun?,
            }
            let laws = engine.laws(level);
            for (law, words) in laws.iter().enumerate() {
                if is_watched && !engine.is_watched(level, law) {
                    continue;
                }
                at(format!("level {level}, {name}: {words}"));
                engine.law(level, law)?;
            }
            let count = laws.len();
            let laws = if count == 1 { "law" } else { "laws" };
            say(&format!("  ok  {level:>2}  {name:<22} {count:>2} {laws}"));
            token::stands(level, all);
        }
        at("after the last level".to_string());
        engine.end()?;
        frame::whole(id, file)
    });
    match outcome {
        Ok(()) => Code::Solved,
        Err(stop) => frame::tell(id, &now.borrow(), &stop),
    }
}

/// Runs `work` in a child process with the limits of a check, so that an
/// endless loop or a crash is reported in a sentence. `seconds` is the CPU
/// time per thread, unless the environment variable sets a different limit.
pub fn limited(
    file: Answer,
    seconds: u64,
    work: impl FnOnce() -> u8,
) -> ExitCode {
    report::shorten_paths_of(file.path);
    if env::var(ROLE).is_ok() {
        token::receive();
        child::end_with_the_parent();
        return ExitCode::from(work());
    }
    if let Some(sentence) = file.stale_sentence() {
        eprint!("{}", filled(&sentence));
        return ExitCode::from(Code::Stale.exit());
    }
    let ended = env::current_exe().and_then(|program| {
        let mut child = Command::new(program);
        child.args(env::args_os().skip(1)).env(ROLE, Role::Plain.name());
        if env::var_os(LIMIT_VARIABLE).is_none() {
            let seconds = Duration::from_secs(seconds);
            return child::watch_for(&mut child, Lines::Shown, seconds);
        }
        child::watch(&mut child, Lines::Shown)
    });
    match ended {
        Ok(Ended { ending: Ending::Exited(code), said, .. }) => {
            eprint!("{said}");
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
        Ok(Ended { ending, said, .. }) => {
            failing(&sentence(&ending, Kind::Code, &said, false));
            ExitCode::FAILURE
        }
        Err(error) => {
            failing(&format!("the program cannot be started: {error}"));
            ExitCode::FAILURE
        }
    }
}
