//! Something of the learner's that grows: level after level, each with laws,
//! and the laws of a level are looked at when all levels before it stand.

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

/// What grows. Levels are counted from 1.
pub trait Growing {
    /// Returns what each level is called.
    fn names(&self) -> Vec<&'static str>;
    /// Tells whether all is there that a level asks for.
    fn begin(&self, level: usize) -> Outcome;
    /// Lists the laws of a level, in words.
    fn laws(&self, level: usize) -> Vec<String>;
    /// Looks at one law of a level.
    fn law(&self, level: usize, law: usize) -> Outcome;
    /// Tells whether a law is small enough to be looked at while Oclgrind
    /// watches.
    fn is_watched(&self, _level: usize, _law: usize) -> bool {
        true
    }
    /// Looks at the whole, when all levels stand.
    fn end(&self) -> Outcome;
}

/// Runs the `main` of the check of what grows in the learner's `file`.
pub fn check_levels(
    id: &'static str,
    file: Answer,
    engine: &dyn Growing,
) -> ExitCode {
    let climb = |role| climb(id, file.path, role, engine);
    frame::framed(id, file, Kind::Code, None, climb)
}

/// Runs the `main` of the check of kernels that grow in the learner's `file`.
/// Behind the levels, Oclgrind watches the laws that are small enough, of all
/// levels that stand.
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

/// What is looked at.
static LAW: Mutex<String> = Mutex::new(String::new());

/// Says how far a law has come, for a crash that leaves no words behind.
pub fn stage(words: &str) {
    let law = LAW.lock().unwrap_or_else(PoisonError::into_inner);
    token::now(&format!("{law}, {words}"));
}

/// Climbs, in the child, up to the first law that is broken.
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
                // Whoever watches looks at what there is.
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
        at("behind the last level".to_string());
        engine.end()?;
        frame::whole(id, file)
    });
    match outcome {
        Ok(()) => Code::Solved,
        Err(stop) => frame::tell(id, &now.borrow(), &stop),
    }
}

/// Runs `work` in a child with the limits of a check, so that a loop without
/// an end and a crash end as a sentence. `seconds` is the processor's time of
/// one thread, unless the variable says otherwise.
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
