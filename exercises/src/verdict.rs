//! How a step of a check ends, and how a check does.

use rungrad::Error;
use rungrad::tape::Tape;

/// What a step says: nothing when all is well.
pub type Outcome = Result<(), Stop>;

/// Why a check stops before its end.
#[derive(Debug)]
pub enum Stop {
    /// The answer is wrong.
    Wrong {
        /// What was checked, and how the answer differs.
        words: String,
        /// Where it went wrong: the tape and the blamed record.
        tape: Option<(Tape, Option<usize>)>,
    },
    /// The hole of the exercise is still there.
    ToDo(String),
    /// The exercise cannot be checked on this machine.
    Skipped(String),
}

/// A [`Stop::Wrong`] without a tape.
pub fn wrong(words: impl Into<String>) -> Stop {
    Stop::Wrong { words: words.into(), tape: None }
}

/// What the engine refuses, it refuses in a sentence of its own.
impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        wrong(error.to_string())
    }
}

impl Stop {
    pub(crate) fn code(&self) -> Code {
        match self {
            Stop::Wrong { .. } => Code::Failing,
            Stop::ToDo(_) => Code::ToDo,
            Stop::Skipped(_) => Code::Skipped,
        }
    }
}

/// The exit code of a check. `cargo learn check` reads it, and a panic's 101
/// or the 2 of a wrong command line are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Solved = 0,
    Failing = 1,
    ToDo = 3,
    Skipped = 4,
}

impl Code {
    pub(crate) fn known(code: i32) -> Option<Code> {
        [Code::Solved, Code::Failing, Code::ToDo, Code::Skipped]
            .into_iter()
            .find(|known| *known as i32 == code)
    }
}
