//! The outcome of a step and of a check.

use rungrad::Error;
use rungrad::tape::Tape;

/// The result of a step.
pub type Outcome = Result<(), Stop>;

/// Why a check stopped early.
#[derive(Debug)]
pub enum Stop {
    /// The answer is wrong.
    Wrong {
        /// What was checked, and how the answer differs.
        words: String,
        /// Where it went wrong: the tape, and the record of the first wrong
        /// rule.
        tape: Option<(Tape, Option<usize>)>,
    },
    /// The exercise's TODO is still there.
    ToDo(String),
    /// The exercise cannot be checked on this machine.
    Skipped(String),
}

/// Makes a [`Stop::Wrong`] without a tape.
pub fn wrong(words: impl Into<String>) -> Stop {
    Stop::Wrong { words: words.into(), tape: None }
}

/// Errors of the engine are complete sentences, so they are verdicts.
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

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Solved,
    /// The steps passed, but a kernel's accesses could not be checked.
    InPart,
    Failing,
    ToDo,
    Skipped,
    /// No verdict: the program was compiled from an earlier text of the file.
    Stale,
}

impl Code {
    const ALL: [Code; 6] = [
        Code::Solved,
        Code::InPart,
        Code::Failing,
        Code::ToDo,
        Code::Skipped,
        Code::Stale,
    ];

    /// Returns the word that follows a token. `cargo learn check` reads it
    /// too.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Code::Solved => "solved",
            Code::InPart => "in_part",
            Code::Failing => "failing",
            Code::ToDo => "to_do",
            Code::Skipped => "skipped",
            Code::Stale => "stale",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.word() == word.trim())
    }

    /// Returns the exit code, for people and scripts; a child's exit code
    /// proves nothing.
    pub(crate) fn exit(self) -> u8 {
        match self {
            Code::Solved | Code::InPart => 0,
            Code::Failing => 1,
            Code::ToDo => 3,
            Code::Skipped => 4,
            Code::Stale => 5,
        }
    }
}
