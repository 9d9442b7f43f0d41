//! How far a long loop is. On a terminal one line is drawn again and again;
//! in a file or a pipe each step gets a plain line of its own.

use std::io::{self, IsTerminal, Write};

/// A loop of so many steps.
pub struct Progress {
    total: usize,
    is_terminal: bool,
}

impl Progress {
    /// Begins a loop, shown on the standard output.
    pub fn new(total: usize) -> Progress {
        Progress { total, is_terminal: io::stdout().is_terminal() }
    }

    /// Says how many steps are done, and what came out of the last one.
    pub fn show(&self, done: usize, words: &str) {
        let line = self.line(done, words);
        let mut out = io::stdout();
        // A reader that has gone away (`| head -3`) is no fault.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }

    fn line(&self, done: usize, words: &str) -> String {
        const CELLS: usize = 24;
        let total = self.total;
        let width = total.to_string().len();
        if !self.is_terminal {
            return format!("{done:>width$}/{total}  {words}\n");
        }
        let full = CELLS * done / total.max(1);
        let bar = "=".repeat(full) + &" ".repeat(CELLS - full);
        let end = if done == total { "\n" } else { "" };
        // Back to the start of the line, and away with what stood there.
        format!("\r\x1b[K[{bar}] {done:>width$}/{total}  {words}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gets_a_line_for_each_step() {
        let progress = Progress { total: 20, is_terminal: false };
        assert_eq!(progress.line(3, "loss 0.5"), " 3/20  loss 0.5\n");
        assert_eq!(progress.line(20, "loss 0.1"), "20/20  loss 0.1\n");
    }

    #[test]
    fn a_terminal_gets_one_line_that_grows() {
        let progress = Progress { total: 4, is_terminal: true };
        assert_eq!(
            progress.line(1, "loss 0.5"),
            "\r\u{1b}[K[======                  ] 1/4  loss 0.5"
        );
        assert_eq!(
            progress.line(4, "loss 0.1"),
            "\r\u{1b}[K[========================] 4/4  loss 0.1\n"
        );
    }
}
