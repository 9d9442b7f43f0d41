//! A random token that separates the lines of a check from the lines that the
//! learner's code prints. An exit code proves nothing, because any code can
//! call `exit(0)`.
//!
//! The parent makes a new token for each run and writes its two halves to the
//! child's standard input. The child begins each of its lines with the first
//! half, the mark. Only the last line, which has the verdict, begins with both
//! halves. The child joins them after the learner's code has returned, so that
//! the joined token is neither in the child's memory nor in its output while
//! that code runs.
//!
//! The learner's code and the check share a process. So code that searches
//! `/proc/self/mem` for two halves and joins them can still forge a verdict,
//! and so can code that attacks the parent. The token stops shortcuts, not
//! attacks.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::tier;
use crate::verdict::Code;

/// Maximum number of the learner's lines that are shown, and of bytes per
/// line.
const SHOWN: usize = 200;
const LINE: usize = 4096;

/// The two halves of a token.
pub(crate) struct Token {
    mark: String,
    secret: String,
}

impl Token {
    /// Makes a token from random keys of the standard library.
    pub(crate) fn new() -> Token {
        let word = || format!("{:016x}", RandomState::new().hash_one(0));
        Token { mark: word(), secret: word() }
    }

    /// Returns the line that the parent writes to the child's standard input.
    pub(crate) fn line(&self) -> String {
        format!("{} {}\n", self.mark, self.secret)
    }
}

/// The token of this process, if it is the child.
static OWN: OnceLock<Token> = OnceLock::new();

/// Reads the token in the child, before the learner's code: that is safe Rust,
/// so none of it runs before `main`.
pub(crate) fn receive() {
    let mut line = String::new();
    // A child without a token has no verdict, so the error can be ignored.
    let _ = io::stdin().read_line(&mut line);
    let (mark, secret) = line.trim().split_once(' ').unwrap_or_default();
    let [mark, secret] = [mark, secret].map(str::to_string);
    let is_first = OWN.set(Token { mark, secret }).is_ok();
    assert!(is_first, "a process is one check");
}

/// Prints a line of the check itself; these lines are always shown.
pub(crate) fn say(text: &str) {
    let mark = OWN.get().map_or(String::new(), |it| format!("{} ", it.mark));
    for line in text.lines() {
        println!("{mark}{line}");
    }
}

/// Prints the last line of a child, the only one with its verdict.
pub(crate) fn conclude(code: Code) {
    if let Some(Token { mark, secret }) = OWN.get() {
        println!("{mark}{secret}={}{}", code.word(), tier::written());
    }
}

/// Prints what runs next, in case the child crashes in it.
pub(crate) fn now(what: &str) {
    if let Some(Token { mark, .. }) = OWN.get() {
        println!("{mark}~{what}");
    }
}

/// Prints how many levels have passed, and of how many.
pub(crate) fn stands(level: usize, all: usize) {
    if let Some(Token { mark, .. }) = OWN.get() {
        println!("{mark}+{level}/{all}");
    }
}

/// What a child has printed, after it has ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) verdict: Option<Code>,
    /// The lines that were not printed.
    pub(crate) kept: String,
    /// The last law that it started, if the exercise has levels.
    pub(crate) now: Option<String>,
    /// How many levels passed, and of how many: `3/10`.
    pub(crate) stands: Option<String>,
}

/// Processes a child's output: prints or collects its lines, and extracts the
/// verdict.
pub(crate) struct Listener {
    token: Token,
    prints: bool,
    /// The current, incomplete line.
    line: Vec<u8>,
    lines: usize,
    /// Number of bytes that the learner's code has printed.
    printed: Arc<AtomicUsize>,
    /// The last line after the limit was reached.
    last: String,
    heard: Heard,
}

impl Listener {
    pub(crate) fn new(token: &Token, prints: bool) -> Listener {
        let Token { mark, secret } = token;
        Listener {
            token: Token { mark: mark.clone(), secret: secret.clone() },
            prints,
            line: Vec::new(),
            lines: 0,
            printed: Arc::default(),
            last: String::new(),
            heard: Heard::default(),
        }
    }

    /// Returns the counter of the bytes that the learner's code has printed.
    pub(crate) fn printed(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.printed)
    }

    /// Processes the next bytes of the child's output.
    pub(crate) fn hear(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    self.end_line(&line);
                }
                _ => self.line.push(*byte),
            }
            // A line may be endless, and a mark may begin at its end.
            if self.line.len() == LINE && self.own(&self.line).is_none() {
                let rest = self.line.split_off(LINE - self.token.mark.len());
                let line = std::mem::replace(&mut self.line, rest);
                self.end_line(&line);
            }
        }
    }

    /// Returns the results, at the end of the child's output.
    pub(crate) fn finish(&mut self) -> Heard {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(&line);
        }
        if self.lines > SHOWN {
            let more = self.lines - SHOWN;
            let lines = if more == 1 { "line" } else { "lines" };
            self.emit(&format!(
                "  .. and {more} more {lines} that your code printed; only \
                 {SHOWN} are shown"
            ));
            self.heard.kept += &self.last;
        }
        std::mem::take(&mut self.heard)
    }

    /// Returns the position at which the check's own text begins in a line.
    fn own(&self, line: &[u8]) -> Option<usize> {
        let mark = self.token.mark.as_bytes();
        line.windows(mark.len()).position(|it| it == mark)
    }

    fn end_line(&mut self, line: &[u8]) {
        let own = match self.own(line) {
            None => return self.of_the_learner(line),
            Some(at) => {
                // The learner's code has printed an incomplete line before it.
                if at > 0 {
                    self.of_the_learner(&line[..at]);
                }
                String::from_utf8_lossy(&line[at + self.token.mark.len()..])
            }
        };
        let verdict = own.strip_prefix(&self.token.secret);
        if let Some(words) = verdict.and_then(|it| it.strip_prefix('=')) {
            let word = words.split(' ').next().unwrap_or_default();
            self.heard.verdict = Code::of(word);
            tier::hear(&words[word.len()..]);
            return;
        }
        match own.split_at_checked(1) {
            Some(("~", now)) => self.heard.now = Some(now.to_string()),
            Some(("+", level)) => self.heard.stands = Some(level.to_string()),
            _ => self.emit(own.strip_prefix(' ').unwrap_or(&own)),
        }
    }

    fn of_the_learner(&mut self, line: &[u8]) {
        self.printed.fetch_add(line.len() + 1, Ordering::Relaxed);
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

    const MARK: &str = "0123456789abcdef";
    const SECRET: &str = "fedcba9876543210";

    fn all(said: &[u8]) -> Heard {
        let [mark, secret] = [MARK, SECRET].map(str::to_string);
        let mut listener = Listener::new(&Token { mark, secret }, false);
        listener.hear(said);
        listener.finish()
    }

    fn heard(said: &[u8]) -> (Option<Code>, String) {
        let heard = all(said);
        (heard.verdict, heard.kept)
    }

    #[test]
    fn a_level_that_stands_and_what_is_looked_at_are_heard() {
        let said = format!("{MARK}+2/10\nmine{MARK}~level 3: a law\n");
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
        let [one, other] = [Token::new(), Token::new()];
        let words = [&one.mark, &one.secret, &other.mark, &other.secret];
        for (at, word) in words.iter().enumerate() {
            assert!(word.len() == 16 && !words[..at].contains(word));
        }
    }

    /// The learner's code can find both halves in the memory of the child, and
    /// the mark in the child's output.
    ///
    /// Promise: Half of the secret token cannot report a verdict.
    #[test]
    fn neither_half_of_a_token_is_a_verdict() {
        for guess in [
            format!("{MARK}=solved"),
            format!("{SECRET}=solved"),
            format!("{MARK} {SECRET}=solved"),
            format!("{SECRET}{MARK}=solved"),
        ] {
            assert_eq!(heard(guess.as_bytes()).0, None, "{guess}");
        }
        let whole = format!("{MARK}{SECRET}=solved");
        assert_eq!(heard(whole.as_bytes()).0, Some(Code::Solved));
    }

    /// Promise: The output of a learner's program is limited, and the check's
    /// own lines do not count.
    #[test]
    fn too_many_lines_are_counted_and_the_check_s_own_are_not() {
        let mine = "mine\n".repeat(300);
        let said = format!("{mine}{MARK}   ok\n{MARK}{SECRET}=to_do\n");
        let (code, text) = heard(said.as_bytes());
        assert_eq!(code, Some(Code::ToDo));
        assert_eq!(text.matches("mine\n").count(), 201);
        assert!(text.contains("  ok\n  .. and 100 more lines"), "{text}");
        assert!(!text.contains(MARK));
    }

    /// Promise: Unfinished output of a learner's program cannot hide the
    /// verdict.
    #[test]
    fn a_line_without_an_end_hides_no_verdict() {
        for length in LINE - 40..LINE + 40 {
            let line = "x".repeat(length);
            let said = format!("{line}{MARK}{SECRET}=skipped");
            let (code, text) = heard(said.as_bytes());
            assert_eq!(code, Some(Code::Skipped), "{length}");
            assert!(text.len() < LINE + 50 && !text.contains(MARK));
        }
    }
}
