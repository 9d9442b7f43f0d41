//! A word that nobody can guess, by which the words of a check are known from
//! those of the code that it runs: an exit code is anybody's.
//!
//! The parent makes a new one for each run and writes it to the child's
//! standard input; the child begins each line of its own with it.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Read};
use std::sync::OnceLock;

use crate::tier;
use crate::verdict::Code;

/// The most lines of the learner's that are shown, and bytes of a line.
const SHOWN: usize = 200;
const LINE: usize = 4096;

pub(crate) struct Token(String);

impl Token {
    /// Makes a token; the standard library asks the system for random keys.
    pub(crate) fn new() -> Token {
        let word = || RandomState::new().hash_one(0);
        Token(format!("{:016x}{:016x}", word(), word()))
    }

    /// Writes the line as it is handed over.
    pub(crate) fn line(&self) -> String {
        format!("{}\n", self.0)
    }
}

/// In the child: its own token.
static OWN: OnceLock<String> = OnceLock::new();

/// Reads the token, in the child, before anything of the learner's has run.
pub(crate) fn receive() {
    let mut line = String::new();
    // Without one nobody will believe us, which is right.
    let _ = io::stdin().read_line(&mut line);
    OWN.set(line.trim().to_string()).expect("a process is one check");
}

/// Prints in the check's own name: these lines are always shown.
pub(crate) fn say(text: &str) {
    let mark = OWN.get().map_or(String::new(), |token| format!("{token} "));
    for line in text.lines() {
        println!("{mark}{line}");
    }
}

/// Says the last line of a child, by which alone it has a verdict.
pub(crate) fn conclude(code: Code) {
    if let Some(token) = OWN.get() {
        println!("{token}={}{}", code.word(), tier::written());
    }
}

/// Says what is looked at now, for the case that this is the last that is
/// heard.
pub(crate) fn now(what: &str) {
    if let Some(token) = OWN.get() {
        println!("{token}~{what}");
    }
}

/// Says that so many levels stand, of how many.
pub(crate) fn stands(level: usize, all: usize) {
    if let Some(token) = OWN.get() {
        println!("{token}+{level}/{all}");
    }
}

/// What a child has said, when it has ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) verdict: Option<Code>,
    /// The lines that were not printed.
    pub(crate) kept: String,
    /// What was looked at last, of something that has levels.
    pub(crate) now: Option<String>,
    /// How many levels stand, of how many: `3/10`.
    pub(crate) stands: Option<String>,
}

/// Hears what a child says: passes lines on or keeps them, and notes the
/// verdict.
pub(crate) struct Listener {
    token: Vec<u8>,
    prints: bool,
    lines: usize,
    /// The last line of those that are too many.
    last: String,
    heard: Heard,
}

impl Listener {
    pub(crate) fn new(token: &Token, prints: bool) -> Listener {
        Listener {
            token: token.0.clone().into_bytes(),
            prints,
            lines: 0,
            last: String::new(),
            heard: Heard::default(),
        }
    }

    /// Listens to the end.
    pub(crate) fn listen(&mut self, mut from: impl Read) -> Heard {
        let mut line = Vec::new();
        let mut bytes = [0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            for byte in &bytes[..count] {
                match byte {
                    b'\n' => self.line(&std::mem::take(&mut line)),
                    _ => line.push(*byte),
                }
                // A line may have no end either. A token may have begun.
                if line.len() == LINE && self.own(&line).is_none() {
                    let rest = line.split_off(LINE - self.token.len());
                    self.line(&std::mem::replace(&mut line, rest));
                }
            }
        }
        if !line.is_empty() {
            self.line(&line);
        }
        if self.lines > SHOWN {
            let more = self.lines - SHOWN;
            let lines = if more == 1 { "line" } else { "lines" };
            self.emit(&format!(
                "  .. and {more} {lines} more of what your code printed; \
                 {SHOWN} are shown"
            ));
            self.heard.kept += &self.last;
        }
        std::mem::take(&mut self.heard)
    }

    /// Tells where in a line the check's own words begin.
    fn own(&self, line: &[u8]) -> Option<usize> {
        line.windows(self.token.len()).position(|it| it == self.token)
    }

    fn line(&mut self, line: &[u8]) {
        let own = match self.own(line) {
            None => return self.of_the_learner(line),
            Some(at) => {
                // What the learner did not end stands before it.
                if at > 0 {
                    self.of_the_learner(&line[..at]);
                }
                String::from_utf8_lossy(&line[at + self.token.len()..])
            }
        };
        match own.split_at_checked(1) {
            Some(("=", words)) => {
                let word = words.split(' ').next().unwrap_or_default();
                self.heard.verdict = Code::of(word);
                tier::hear(&words[word.len()..]);
            }
            Some(("~", now)) => self.heard.now = Some(now.to_string()),
            Some(("+", level)) => self.heard.stands = Some(level.to_string()),
            _ => self.emit(own.strip_prefix(' ').unwrap_or(&own)),
        }
    }

    fn of_the_learner(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        self.lines += 1;
        match self.lines <= SHOWN {
            true => self.emit(&line),
            false => self.last = format!("{line}\n"),
        }
    }

    fn emit(&mut self, line: &str) {
        match self.prints {
            true => println!("{line}"),
            false => self.heard.kept += &format!("{line}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(said: &[u8]) -> Heard {
        let token = Token("0123456789abcdef0123456789abcdef".to_string());
        Listener::new(&token, false).listen(said)
    }

    fn heard(said: &[u8]) -> (Option<Code>, String) {
        let heard = all(said);
        (heard.verdict, heard.kept)
    }

    #[test]
    fn a_level_that_stands_and_what_is_looked_at_are_heard() {
        let token = "0123456789abcdef0123456789abcdef";
        let said = format!("{token}+2/10\nmine{token}~level 3: a law\n");
        let right = Heard {
            verdict: None,
            kept: "mine\n".to_string(),
            now: Some("level 3: a law".to_string()),
            stands: Some("2/10".to_string()),
        };
        assert_eq!(all(said.as_bytes()), right);
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(Token::new().0, Token::new().0);
        assert_eq!(Token::new().0.len(), 32);
    }

    #[test]
    fn too_many_lines_are_counted_and_the_check_s_own_are_not() {
        let token = "0123456789abcdef0123456789abcdef";
        let mine = "mine\n".repeat(300);
        let (code, text) =
            heard(format!("{mine}{token}   ok\n{token}=to_do\n").as_bytes());
        assert_eq!(code, Some(Code::ToDo));
        assert_eq!(text.matches("mine\n").count(), 201);
        assert!(text.contains("  ok\n  .. and 100 lines more"), "{text}");
        assert!(!text.contains(token));
    }

    #[test]
    fn a_line_without_an_end_hides_no_verdict() {
        for length in LINE - 40..LINE + 40 {
            let token = "0123456789abcdef0123456789abcdef";
            let said = format!("{}{token}=skipped", "x".repeat(length));
            let (code, text) = heard(said.as_bytes());
            assert_eq!(code, Some(Code::Skipped), "{length}");
            assert!(text.len() < LINE + 50 && !text.contains(token));
        }
    }
}
