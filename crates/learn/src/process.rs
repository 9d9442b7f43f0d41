//! Runs long work in a child process with a log, a status line and a time
//! limit.

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
use crate::terminal::{self, human_duration, say, truncate};

/// How a child process ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// The exit code. For signal n it is 128 + n, as in a shell.
    Exited(i32),
    /// The time limit passed, and the child and its children were killed.
    TimedOut(Duration),
}

/// A child runs in a separate process group, so that it can be killed together
/// with all of its children. That group receives no Ctrl-C and would not
/// notice our own death. So a guard in the group waits for the end of a pipe
/// that only we hold open, and then kills the group.
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

/// Runs a command to its end, with or without a status line.
pub type RunFn =
    fn(&str, &mut Command, &Path, Duration) -> Result<Ending, Stop>;

/// Runs `command` with its output in `log`, shows a status line, and kills the
/// command after `limit`.
pub fn run_with_status(
    what: &str,
    command: &mut Command,
    log: &Path,
    limit: Duration,
) -> Result<Ending, Stop> {
    run_until(command, log, limit, Some(StatusLine::new(what, log)))
}

/// Like [`run_with_status`], without a status line, for commands that run at the same
/// time. The caller shows one status line for all of them.
pub fn run_quietly(
    _: &str,
    command: &mut Command,
    log: &Path,
    limit: Duration,
) -> Result<Ending, Stop> {
    run_until(command, log, limit, None)
}

fn run_until(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    status: Option<StatusLine>,
) -> Result<Ending, Stop> {
    let mut child = spawn(&mut with_guard(command), log)?;
    if let Some(ending) = wait(&mut child, status, Some(limit))? {
        return Ok(ending);
    }
    // The guard sees the end of the pipe and kills its group.
    drop(child.stdin.take());
    let _ = child.wait();
    Ok(Ending::TimedOut(limit))
}

/// Like [`run_with_status`], without a time limit, for a command that must not be
/// killed. It receives Ctrl-C itself, as if it had been typed into the
/// terminal.
pub(crate) fn run_uninterrupted(
    what: &str,
    command: &mut Command,
    log: &Path,
) -> Result<Ending, Stop> {
    let mut child = spawn(command.stdin(Stdio::null()), log)?;
    let status = StatusLine::new(what, log);
    let ending = wait(&mut child, Some(status), None)?;
    Ok(ending.expect("without a limit it waits for the end"))
}

/// Waits until a child has ended. Returns `None` after `limit`.
fn wait(
    child: &mut Child,
    mut status: Option<StatusLine>,
    limit: Option<Duration>,
) -> Result<Option<Ending>, Stop> {
    let start = Instant::now();
    for pause in pauses() {
        match child.try_wait() {
            Ok(Some(status)) => {
                return Ok(Some(Ending::Exited(exit_code(status))));
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

/// Returns the pauses between two looks at a child. They grow, so that a short
/// command ends without delay and a long one costs no processor time.
fn pauses() -> impl Iterator<Item = Duration> {
    let longer = |pause: &Duration| Some((2 * *pause).min(MAX_PAUSE));
    iter::successors(Some(Duration::from_millis(1)), longer)
}

const MAX_PAUSE: Duration = Duration::from_millis(50);

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

fn with_guard(command: &Command) -> Command {
    let mut with_guard = Command::new("sh");
    with_guard.args(["-c", GUARD, "guard"]);
    with_guard.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => with_guard.env(name, value),
            None => with_guard.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        with_guard.current_dir(folder);
    }
    with_guard.process_group(0).stdin(Stdio::piped());
    with_guard
}

/// Runs `command` in the foreground on the learner's terminal and passes its
/// exit code on.
pub(crate) fn run_in_foreground(command: &mut Command) -> Result<(), Stop> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command.get_program().into(), &error))?;
    match exit_code(status) {
        0 => Ok(()),
        code => Err(Stop::Said(u8::try_from(code).unwrap_or(1))),
    }
}

fn cannot_start(program: OsString, error: &io::Error) -> Stop {
    Stop::Failed(format!("cannot start {}: {error}", program.display()))
}

fn exit_code(status: ExitStatus) -> i32 {
    let signal = || status.signal().map_or(1, |signal| 128 + signal);
    status.code().unwrap_or_else(signal)
}

/// The status line: rewritten in place on a terminal, and otherwise printed as
/// a plain line from time to time.
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
        if elapsed < self.next || terminal::is_quiet() {
            return;
        }
        let pause = if self.rewrites { 500 } else { 30_000 };
        self.next = elapsed + Duration::from_millis(pause);
        let mut text = format!("  {}: {} s", self.what, elapsed.as_secs());
        if let Some(last) = last_line(self.log) {
            text = format!("{text} ({last})");
        }
        let text = truncate(&text, terminal::width());
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

/// Returns at most `count` lines of the log, from the first one that reports
/// an error, or else the last lines. `verify` prints its errors as `FAILED `,
/// after a table that is longer than the excerpt.
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

/// Runs a command to its end. If it fails, the relevant lines of its log are
/// printed, and the error names the log.
pub fn run_or_fail(
    checkout: &Checkout,
    what: &str,
    command: &mut Command,
    log: &Path,
) -> Result<(), Stop> {
    let limit = Duration::from_secs(1200);
    let ending = run_with_status(what, command, log, limit)?;
    if ending == Ending::Exited(0) {
        return Ok(());
    }
    for line in excerpt(log, 40) {
        say!("{line}");
    }
    let (why, place) = (failure_message(what, &ending), checkout.shown(log));
    Err(Stop::Failed(format!("{why}; the whole log is {place}")))
}

/// Returns the error message for a child that failed.
pub fn failure_message(what: &str, ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("{what} ended with code {code}"),
        Ending::TimedOut(limit) => format!(
            "{what} did not end within {} and was stopped",
            human_duration(*limit)
        ),
    }
}
