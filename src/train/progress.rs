//! Progress output of a long loop: a progress bar on a terminal, otherwise one
//! plain line per step.

use std::io::{self, IsTerminal, Write};

/// The progress of a loop with a known number of steps.
pub struct Progress {
    total: usize,
    is_terminal: bool,
}

impl Progress {
    /// Starts showing a loop of `total` steps on the standard output.
    pub fn new(total: usize) -> Progress {
        Progress { total, is_terminal: io::stdout().is_terminal() }
    }

    /// Shows that `done` steps are done, followed by `words`.
    pub fn show(&self, done: usize, words: &str) {
        let line = self.line(done, words);
        let mut out = io::stdout();
        // Ignore a closed pipe, as in `| head -3`.
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
        // Return to the start of the line and erase it.
        format!("\r\x1b[K[{bar}] {done:>width$}/{total}  {words}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gets_one_line_per_step() {
        let progress = Progress { total: 20, is_terminal: false };
        assert_eq!(progress.line(3, "loss 0.5"), " 3/20  loss 0.5\n");
        assert_eq!(progress.line(20, "loss 0.1"), "20/20  loss 0.1\n");
    }

    #[test]
    fn a_terminal_updates_a_single_line() {
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
