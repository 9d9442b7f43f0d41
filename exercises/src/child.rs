//! A check in a process of its own, with limits: a loop without an end, a
//! list that grows for ever, a stack that overflows and a kernel that writes
//! where it must not end that process only.

use std::io::{Read, Write};
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use crate::token::{Listener, Token};
use crate::verdict::Code;

/// The most seconds of the processor that a check may take; the variable says
/// otherwise. On a busy machine they take longer than by the clock.
const LIMIT: u64 = 10;
pub(crate) const LIMIT_VARIABLE: &str = "RUNGRAD_CHECK_LIMIT";

/// So many times the limit may pass by the clock: what sleeps for ever takes
/// no time of the processor.
const PATIENCE: u32 = 6;

/// The most memory that a check may take, in MiB.
pub(crate) const ROOM: u64 = 1024;

/// How often one looks whether the child has ended, and how many of these
/// looks pass from one at what it has used to the next.
const PAUSE: Duration = Duration::from_millis(4);
const LOOKS: u32 = 5;

/// How a child ended.
pub(crate) enum Ending {
    /// It walked to its end, and proved it with the token.
    Said(Code),
    /// Without a verdict, whatever its exit code.
    Exited(i32),
    /// By a signal with this number.
    Killed(i32),
    /// So much of the processor's time was used.
    TimedOut(Duration),
    /// So much time passed, and less of the processor's was used.
    Waited(Duration),
    /// More memory was taken than there is room for.
    Grew,
}

/// Whether the lines of a child are printed as they come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    Shown,
    Dropped,
}

/// Runs `command` and returns how it ended, with what it wrote to standard
/// error.
pub(crate) fn watch(
    command: &mut Command,
    lines: Lines,
) -> io::Result<(Ending, String)> {
    let token = Token::new();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // The child reads the pipe for its token, and then only to see it close,
    // when we are gone. One that is gone already needs none.
    let mut input = child.stdin.take().expect("it is piped");
    let _ = input.write_all(token.line().as_bytes());
    let out = child.stdout.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let mut shown = Listener::new(&token, lines == Lines::Shown);
    let mut kept = Listener::new(&token, false);
    let out = thread::spawn(move || shown.listen(out));
    let errors = thread::spawn(move || kept.listen(errors));
    let ended = wait(&mut child)?;
    drop(input);
    let (verdict, _) = joined(out);
    let (_, said) = joined(errors);
    let ending = match (ended, verdict) {
        (Ending::Exited(_), Some(code)) => Ending::Said(code),
        (other, _) => other,
    };
    Ok((ending, said))
}

/// What a listener has heard. When it could not print, nor can we.
fn joined<T>(listener: JoinHandle<T>) -> T {
    listener.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn wait(child: &mut Child) -> io::Result<Ending> {
    let (limit, start) = (limit(), Instant::now());
    for look in 0_u32.. {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) => Ending::Exited(code),
                None => Ending::Killed(signal(&status)),
            });
        }
        let passed = start.elapsed();
        // Where nobody says what was used, the clock must do.
        let (used, room) = match look % LOOKS {
            0 => used(child.id()).unwrap_or((passed, 0)),
            _ => (Duration::ZERO, 0),
        };
        let ending = if used >= limit {
            Ending::TimedOut(limit)
        } else if room > ROOM {
            Ending::Grew
        } else if passed >= limit * PATIENCE {
            Ending::Waited(passed)
        } else {
            thread::sleep(PAUSE);
            continue;
        };
        end(child);
        return Ok(ending);
    }
    unreachable!("there are more looks than anybody waits for")
}

fn limit() -> Duration {
    let given = env::var(LIMIT_VARIABLE).ok();
    let seconds = given.and_then(|it| it.parse().ok()).unwrap_or(LIMIT);
    Duration::from_secs(seconds)
}

/// The processor's time that a process has used, and its memory in MiB. Linux
/// alone tells it in a file.
fn used(process: u32) -> Option<(Duration, u64)> {
    let read = |name| fs::read_to_string(format!("/proc/{process}/{name}"));
    let (stat, status) = (read("stat").ok()?, read("status").ok()?);
    // The name of the program may hold anything, and ends with a bracket.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = |field: &str| field.parse::<u64>().ok();
    let mut fields = fields.split(' ').skip(11);
    let ticks = ticks(fields.next()?)? + ticks(fields.next()?)?;
    let room = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    let room = room.and_then(|it| it.split_whitespace().next()?.parse().ok());
    // A tick is the hundredth of a second.
    Some((Duration::from_millis(10 * ticks), room.unwrap_or(0_u64) >> 10))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Ending {
        let mut command = Command::new("sh");
        let (ending, _) =
            watch(command.args(["-c", script]), Lines::Dropped).unwrap();
        ending
    }

    #[test]
    fn no_exit_code_alone_is_a_verdict() {
        for code in 0..6 {
            let ending = shell(&format!("exit {code}"));
            assert!(matches!(ending, Ending::Exited(it) if it == code));
        }
        assert!(matches!(shell("echo solved"), Ending::Exited(0)));
    }

    #[test]
    fn whoever_has_the_token_has_the_verdict() {
        let last = "read token; echo \"mine\"; echo \"$token=solved\"";
        assert!(matches!(shell(last), Ending::Said(Code::Solved)));
        // A line of the learner's that never ended stands before it.
        let last = "read token; printf half; echo \"$token=failing\"; exit 1";
        assert!(matches!(shell(last), Ending::Said(Code::Failing)));
        let fallen = "read token; echo \"$token=solved\"; kill -SEGV $$";
        assert!(matches!(shell(fallen), Ending::Killed(_)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_grows_without_an_end_is_stopped() {
        // A line that never ends, kept until it does.
        assert!(matches!(shell("exec tail /dev/zero"), Ending::Grew));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_tells_what_it_has_used() {
        let (time, room) = used(std::process::id()).unwrap();
        assert!(time < Duration::from_secs(3600) && room < 1 << 20, "{room}");
        assert_eq!(used(0), None);
    }
}
