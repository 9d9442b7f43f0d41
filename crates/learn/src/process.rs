//! Long work as a child process: it writes to a log, shows that it lives, and
//! ends in time, whatever it does.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io, iter};

use crate::checkout::{Checkout, cannot_write};
use crate::command::Stop;
use crate::terminal::{self, cut, say, spoken};

/// How a child ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// The exit code; 128 + n for signal n, as a shell counts.
    Exited(i32),
    /// The limit passed; the child and its children have been killed.
    TimedOut(Duration),
}

/// A child runs in a process group of its own, so that all of its children can
/// be ended with it. That group does not hear a Ctrl-C, and nobody would hear
/// of our own death: so a guard in the group waits for the end of a pipe
/// that only we hold open, and then ends the group.
const GUARD: &str = r#"
exec 3<&0 4>&2 2>/dev/null
"$@" </dev/null 2>&4 3<&- 4>&- &
job=$!
{ read -r never <&3; kill -KILL 0; } 4>&- &
guard=$!
wait "$job"
code=$?
kill -KILL "$guard"
exit "$code"
"#;

/// How a command is run to its end: with a status line, or without.
pub type Follow =
    fn(&str, &mut Command, &Path, Duration) -> Result<Ending, Stop>;

/// Runs `command` with its output in `log` and a line that says what is going
/// on, and ends it after `limit`.
pub fn follow(
    what: &str,
    command: &mut Command,
    log: &Path,
    limit: Duration,
) -> Result<Ending, Stop> {
    to_the_end(command, log, limit, Some(StatusLine::new(what, log)))
}

/// Does the same in silence, for one of many at a time: their status lines
/// would stand in each other's way, and whoever started them shows one for all.
pub fn follow_in_silence(
    _: &str,
    command: &mut Command,
    log: &Path,
    limit: Duration,
) -> Result<Ending, Stop> {
    to_the_end(command, log, limit, None)
}

fn to_the_end(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    status: Option<StatusLine>,
) -> Result<Ending, Stop> {
    let mut child = spawn(&mut guarded(command), log)?;
    if let Some(ending) = wait(&mut child, status, Some(limit))? {
        return Ok(ending);
    }
    // The guard sees the end of the pipe and ends its group.
    drop(child.stdin.take());
    let _ = child.wait();
    Ok(Ending::TimedOut(limit))
}

/// Does the same for what must end in its own way: nobody ends it, and a Ctrl-C
/// is its own affair, as if it had been typed into the terminal.
pub(crate) fn follow_uninterrupted(
    what: &str,
    command: &mut Command,
    log: &Path,
) -> Result<Ending, Stop> {
    let mut child = spawn(command.stdin(Stdio::null()), log)?;
    let status = StatusLine::new(what, log);
    let ending = wait(&mut child, Some(status), None)?;
    Ok(ending.expect("without a limit it waits for the end"))
}

/// Waits for the end of a child, or of the time that it has.
fn wait(
    child: &mut Child,
    mut status: Option<StatusLine>,
    limit: Option<Duration>,
) -> Result<Option<Ending>, Stop> {
    let start = Instant::now();
    for pause in pauses() {
        match child.try_wait() {
            Ok(Some(status)) => {
                return Ok(Some(Ending::Exited(code_of(status))));
            }
            Ok(None) => {}
            Err(error) => return Err(Stop::Failed(error.to_string())),
        }
        if limit.is_some_and(|limit| start.elapsed() >= limit) {
            return Ok(None);
        }
        if let Some(status) = &mut status {
            status.show();
        }
        sleep(pause);
    }
    unreachable!("there is always one pause more")
}

/// Tells how long one sleeps between two looks at what runs: what ends soon is
/// not waited for, and to wait long takes no time of a core.
fn pauses() -> impl Iterator<Item = Duration> {
    let longer = |pause: &Duration| Some((2 * *pause).min(PAUSE));
    iter::successors(Some(Duration::from_millis(1)), longer)
}

const PAUSE: Duration = Duration::from_millis(50);

fn spawn(command: &mut Command, log: &Path) -> Result<Child, Stop> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .map_err(|error| cannot_write(log, &error))?;
    let errors = file.try_clone().map_err(|error| cannot_write(log, &error))?;
    command
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|error| cannot_start(command.get_program().into(), &error))
}

fn guarded(command: &Command) -> Command {
    let mut guarded = Command::new("sh");
    guarded.args(["-c", GUARD, "guard"]);
    guarded.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => guarded.env(name, value),
            None => guarded.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        guarded.current_dir(folder);
    }
    guarded.process_group(0).stdin(Stdio::piped());
    guarded
}

/// Runs `command` in the foreground, with the learner's own terminal, and
/// passes its exit code on.
pub(crate) fn run_in_foreground(command: &mut Command) -> Result<(), Stop> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command.get_program().into(), &error))?;
    match code_of(status) {
        0 => Ok(()),
        code => Err(Stop::Said(u8::try_from(code).unwrap_or(1))),
    }
}

fn cannot_start(program: OsString, error: &io::Error) -> Stop {
    Stop::Failed(format!("cannot start {}: {error}", program.display()))
}

fn code_of(status: ExitStatus) -> i32 {
    let signal = || status.signal().map_or(1, |signal| 128 + signal);
    status.code().unwrap_or_else(signal)
}

/// The line that says what is going on: rewritten in place on a terminal, now
/// and then a plain line elsewhere.
struct StatusLine<'a> {
    what: &'a str,
    log: &'a Path,
    rewrites: bool,
    start: Instant,
    next: Duration,
}

impl<'a> StatusLine<'a> {
    fn new(what: &'a str, log: &'a Path) -> StatusLine<'a> {
        let rewrites = terminal::can_rewrite();
        let first = if rewrites { 200 } else { 30_000 };
        let next = Duration::from_millis(first);
        StatusLine { what, log, rewrites, start: Instant::now(), next }
    }

    fn show(&mut self) {
        let elapsed = self.start.elapsed();
        if elapsed < self.next {
            return;
        }
        let pause = if self.rewrites { 500 } else { 30_000 };
        self.next = elapsed + Duration::from_millis(pause);
        let mut text = format!("  {}: {} s", self.what, elapsed.as_secs());
        if let Some(last) = last_line(self.log) {
            text = format!("{text} ({last})");
        }
        let text = cut(&text, terminal::width());
        if self.rewrites {
            terminal::write_out(&format!("\r\x1b[K{text}"));
        } else {
            terminal::line(&text);
        }
    }
}

impl Drop for StatusLine<'_> {
    fn drop(&mut self) {
        if self.rewrites {
            terminal::write_out("\r\x1b[K");
        }
    }
}

fn last_line(log: &Path) -> Option<String> {
    let text = fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().rev().map(str::trim);
    lines.find(|it| !it.is_empty()).map(str::to_string)
}

/// Takes the log's lines from the first one that names a fault, at most
/// `count`; its last lines when none does. `FAILED ` is what `verify` says of
/// one, behind a table that is longer than what is shown.
pub fn excerpt(log: &Path, count: usize) -> Vec<String> {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<String> = text.lines().map(str::to_string).collect();
    let fault = |line: &String| {
        ["error", "failures:", "Diff in ", "ERROR", "FAILED "]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    let tail = lines.len().saturating_sub(count);
    let start = lines.iter().position(fault).unwrap_or(tail);
    let end = lines.len().min(start + count);
    lines[start..end].to_vec()
}

/// Runs a command to its end. If it fails, the lines of its log that matter are
/// printed, and the error names the log.
pub fn succeed(
    checkout: &Checkout,
    what: &str,
    command: &mut Command,
    log: &Path,
) -> Result<(), Stop> {
    let limit = Duration::from_secs(1200);
    let ending = follow(what, command, log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(());
    }
    for line in excerpt(log, 40) {
        say!("{line}");
    }
    let (why, place) = (complaint(what, &ending), checkout.shown(log));
    Err(Stop::Failed(format!("{why}; the whole log is {place}")))
}

/// Writes the sentence for a child that did not end well.
pub fn complaint(what: &str, ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("{what} ended with code {code}"),
        Ending::TimedOut(limit) => format!(
            "{what} did not end within {} and was stopped",
            spoken(*limit)
        ),
    }
}
