//! A peer: another program that does the same work and reports its times.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rungrad::Error;

/// A running peer. Its first line of output describes it. Afterward it answers
/// each input line, a kind of work and a size, with the seconds it took.
pub(crate) struct Peer {
    pub(crate) name: String,
    command: String,
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    pub(crate) fn start(command: &str) -> Result<Peer, Error> {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                refusal(command, &format!("did not start: {error}"))
            })?;
        let asks = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut peer = Peer {
            name: String::new(),
            command: command.into(),
            child,
            asks,
            answers,
        };
        peer.name = peer.line()?;
        Ok(peer)
    }

    /// Returns the seconds that the peer takes.
    pub(crate) fn time(&mut self, work: &str, n: usize) -> Result<f64, Error> {
        // If the pipe is closed, the missing answer reports it.
        let _ = writeln!(self.asks, "{work} {n}");
        let line = self.line()?;
        line.parse().map_err(|_| {
            refusal(
                &self.command,
                &format!("printed `{line}` instead of seconds"),
            )
        })
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        if read.is_ok_and(|bytes| bytes > 0) {
            return Ok(line.trim_end().into());
        }
        let _ = self.child.wait();
        Err(refusal(&self.command, "ended without an answer"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn refusal(command: &str, what: &str) -> Error {
    Error::Mistake(format!(
        "The peer, `{command}`, {what}. Without `--peer` the table has no \
         column for it."
    ))
}
