//! Output of the companion: plain lines that fit the terminal. A color only
//! repeats what a word says, so logs, IDE terminals and screen readers lose
//! nothing.

use std::env;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write};
use std::process::{self, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Prints a line. Unlike `println!`, it does not panic if the reader has gone,
/// as in `cargo learn | head -1`, or if the disk is full.
#[macro_export]
macro_rules! say {
    () => { $crate::terminal::line("") };
    ($($arg:tt)*) => { $crate::terminal::line(&format!($($arg)*)) };
}
pub use say;

pub fn line(text: &str) {
    write_out(&format!("{text}\n"));
}

/// Prints without ending the line.
pub(crate) fn write_out(text: &str) {
    let mut out = io::stdout().lock();
    let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
    else {
        return;
    };
    if error.kind() != ErrorKind::BrokenPipe {
        complain(&format!(
            "cannot write the output: {error}; send it to a place with enough \
             room"
        ));
        process::exit(1);
    }
    process::exit(i32::from(MUST_BE_READ.load(Ordering::Relaxed)));
}

/// Whether the command must fail if its output is not read to the end.
static MUST_BE_READ: AtomicBool = AtomicBool::new(false);

/// Makes the command fail from now on if the reader closes the output: a
/// verdict that was not read must not look like success. Other commands may be
/// cut off.
pub(crate) fn require_reader() {
    MUST_BE_READ.store(true, Ordering::Relaxed);
}

/// Whether status lines are left out, because a program reads the output.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out status lines from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether status lines are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints an error to the standard error stream, if it is open.
pub(crate) fn complain(sentence: &str) {
    let _ = writeln!(io::stderr(), "error: {sentence}");
}

/// Returns whether a line can be rewritten in place.
pub(crate) fn can_rewrite() -> bool {
    let dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
    io::stdout().is_terminal() && !dumb
}

/// Returns whether output may be colored: see <https://no-color.org>.
fn can_color() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
    can_rewrite() && !refused
}

/// The words that begin a line of a check, each with its color.
const VERDICTS: &[(&str, &str)] = &[
    ("failing:", "1;31"),
    ("solved:", "1;32"),
    ("solved, in part:", "1;32"),
    ("to do:", "1;33"),
    ("skipped:", "1;33"),
    ("  ok  ", "32"),
];

/// Prints a line of a check. The word of a verdict or of a step that passed is
/// colored.
pub(crate) fn print_verdict(text: &str) {
    line(&colored(text.trim_end(), VERDICTS));
}

/// Colors the word that a text begins with, if it is in the list and the
/// terminal has colors.
pub(crate) fn colored(text: &str, words: &[(&str, &str)]) -> String {
    let mut words = words.iter().filter(|_| can_color());
    match words.find(|(word, _)| text.starts_with(word)) {
        Some((word, color)) => {
            let rest = &text[word.len()..];
            format!("\x1b[{color}m{word}\x1b[0m{rest}")
        }
        None => text.to_string(),
    }
}

/// Formats how much is done, as a bar and as numbers.
pub(crate) fn progress_bar(done: usize, all: usize) -> String {
    let filled = (done * BAR / all.max(1)).max(done.min(1));
    let (filled, rest) = ("#".repeat(filled), ".".repeat(BAR - filled));
    format!("[{filled}{rest}] {done} of {all} solved")
}

/// The number of characters of a bar.
const BAR: usize = 24;

/// Clears the terminal. Does nothing if the output goes elsewhere.
pub(crate) fn clear() {
    if can_rewrite() {
        write_out("\x1b[2J\x1b[H");
    }
}

/// Returns the width of the terminal, from `COLUMNS` or from the terminal
/// itself. `None` if neither is known.
pub(crate) fn columns() -> Option<usize> {
    static COLUMNS: OnceLock<Option<usize>> = OnceLock::new();
    let said = || {
        let fits = |text: &str| text.parse().ok().filter(|it| *it >= 20);
        let named = env::var("COLUMNS").ok();
        if let Some(columns) = named.and_then(|it| fits(it.trim())) {
            return Some(columns);
        }
        if !io::stdout().is_terminal() {
            return None;
        }
        // `stty` queries the terminal that is its standard input.
        let mut stty = Command::new("stty");
        let stty = stty.arg("size").stdin(Stdio::inherit());
        let size = stty.stderr(Stdio::null()).output().ok()?.stdout;
        fits(String::from_utf8_lossy(&size).split_whitespace().nth(1)?)
    };
    *COLUMNS.get_or_init(said)
}

/// Returns the maximum width of prose: long lines are hard to read.
pub(crate) fn width() -> usize {
    columns().unwrap_or(80).min(80) - 2
}

/// Returns whether questions can be asked: input and output are terminals.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks on the terminal. Everything except a yes is a no.
pub(crate) fn agrees(question: &str) -> bool {
    write_out(&format!("{question} [y/N] "));
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer).is_err() {
        return false;
    }
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Formats a duration for people.
pub fn human_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=9 => format!("{:.1} s", time.as_secs_f64()),
        10..=99 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// Wraps the text to the width of the terminal.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    wrap(text, width())
}

pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        let width = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && width > room {
            lines.push(word.to_string());
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines
}

/// Truncates `text` to `width` characters, without control characters.
pub fn truncate(text: &str, width: usize) -> String {
    let clean: Vec<char> =
        text.chars().filter(|letter| !letter.is_control()).collect();
    if clean.len() <= width {
        return clean.into_iter().collect();
    }
    let kept: String = clean[..width.saturating_sub(3)].iter().collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short_and_have_a_unit() {
        assert_eq!(human_duration(Duration::from_millis(640)), "0.6 s");
        assert_eq!(human_duration(Duration::from_secs(42)), "42 s");
        assert_eq!(human_duration(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn a_bar_is_empty_at_first_and_full_only_at_the_end() {
        assert!(progress_bar(0, 96).starts_with("[........................]"));
        assert!(progress_bar(1, 96).starts_with("[#......................."));
        assert!(progress_bar(95, 96).contains('.'));
        assert_eq!(
            progress_bar(2, 2),
            format!("[{}] 2 of 2 solved", "#".repeat(24))
        );
        assert!(progress_bar(0, 0).ends_with("0 of 0 solved"));
    }

    #[test]
    fn wrapped_lines_lose_no_word() {
        let text = "word ".repeat(40);
        for room in [78, 30] {
            let lines = wrap(&text, room);
            assert!(lines.len() > 1 && lines.iter().all(|it| it.len() <= room));
            assert_eq!(lines.join(" "), text.trim());
        }
    }

    #[test]
    fn a_truncated_line_fits_and_has_no_control_characters() {
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abcdefgh", 6), "abc...");
        assert_eq!(truncate("a\u{1b}[2Kb\r", 9), "a[2Kb");
    }
}
