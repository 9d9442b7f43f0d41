//! A check in a process of its own, with a time limit: a loop without an
//! end, a stack that overflows and a kernel that writes where it must not
//! end that process only.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};

/// The most seconds that a check may take; the variable says otherwise.
const LIMIT: u64 = 10;
const LIMIT_VARIABLE: &str = "RUNGRAD_CHECK_LIMIT";

/// How a child ended.
pub(crate) enum Ending {
    Exited(i32),
    /// By a signal with this number.
    Killed(i32),
    TimedOut(Duration),
}

/// Runs `command` and returns how it ended, with what it wrote to standard
/// error. Its standard output is ours.
pub(crate) fn watch(command: &mut Command) -> io::Result<(Ending, String)> {
    let limit = limit();
    let start = Instant::now();
    // The child reads the pipe only to see it close, when we are gone.
    let mut child =
        command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut errors = child.stderr.take().expect("it is piped");
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        let _ = errors.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let ending = loop {
        if let Some(status) = child.try_wait()? {
            break match status.code() {
                Some(code) => Ending::Exited(code),
                None => Ending::Killed(signal(&status)),
            };
        }
        if start.elapsed() >= limit {
            end(&mut child);
            break Ending::TimedOut(limit);
        }
        thread::sleep(Duration::from_millis(4));
    };
    Ok((ending, reader.join().unwrap_or_default()))
}

fn limit() -> Duration {
    let given = env::var(LIMIT_VARIABLE).ok();
    let seconds = given.and_then(|it| it.parse().ok()).unwrap_or(LIMIT);
    Duration::from_secs(seconds)
}

fn end(child: &mut Child) {
    // It may have ended by itself a moment ago; either way it is gone.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn signal(status: &std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.signal().unwrap_or_default()
}

#[cfg(not(unix))]
fn signal(_: &std::process::ExitStatus) -> i32 {
    0
}

/// In the child: ends with the parent, whatever ended it, so that no hanging
/// kernel keeps a core busy that nobody waits for.
pub(crate) fn end_with_the_parent() {
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::abort();
    });
}
