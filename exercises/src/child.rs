//! Runs a check in a child process with limits, so that an endless loop,
//! unbounded memory use, a stack overflow or a stray write of a kernel ends
//! only that process.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use crate::group;
use crate::output::Output;
use crate::token::{Listener, Token};
use crate::verdict::Code;

/// CPU seconds that one thread of a check may use, unless the environment
/// variable sets a different limit. CPU time does not depend on how busy the
/// machine is. The limit applies to each thread, because a correct answer may
/// use every core, whereas an endless loop keeps one thread busy.
const LIMIT: u64 = 10;
pub(crate) const LIMIT_VARIABLE: &str = "RUNGRAD_CHECK_LIMIT";

/// Wall-clock limit, as a multiple of the CPU limit, without the time that a
/// thread was ready but not scheduled. It stops children that sleep forever,
/// which use no CPU time.
const PATIENCE: u32 = 6;

/// Private memory that a check may use, in MiB. Mapped files do not count: a
/// driver may map a compiler of more than 100 MiB.
pub(crate) const ROOM: u64 = 1024;

/// Output that the learner's code may print, in MiB. Only the first lines are
/// shown, and reading the rest of an endless output would take longer than any
/// other limit.
pub(crate) const PRINTED: usize = 4;

/// How long the output is read after the child has ended. Normally it ends
/// with the child, but a process that the child started may hold it open.
const GRACE: Duration = Duration::from_secs(2);

/// How often the parent polls whether the child has ended. Its resources are
/// measured at every `LOOKS`-th poll.
pub(crate) const PAUSE: Duration = Duration::from_millis(4);
const LOOKS: u32 = 5;

/// How a child ended.
pub(crate) enum Ending {
    /// It finished and proved it with the token.
    Said(Code),
    /// It exited without a verdict, with this exit code.
    Exited(i32),
    /// It was killed by the signal with this number.
    Killed(i32),
    /// A thread exceeded the CPU limit.
    TimedOut(Duration),
    /// The wall-clock limit passed without reaching the CPU limit.
    Waited(Duration),
    /// It exceeded the memory limit.
    Grew,
    /// It printed more than [`PRINTED`] allows.
    Flooded,
}

/// Whether the output of a child is printed while it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    Shown,
    Dropped,
}

/// The results of a child that has ended.
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    /// What it wrote to standard error.
    pub(crate) said: String,
    /// The last law that it started, if the exercise has levels.
    pub(crate) now: Option<String>,
    /// How many levels passed, and of how many.
    pub(crate) stands: Option<String>,
}

/// Runs `command` to its end and returns how it ended.
pub(crate) fn watch(command: &mut Command, lines: Lines) -> io::Result<Ended> {
    watch_for(command, lines, limit())
}

/// Like [`watch`], with a given CPU limit per thread.
pub(crate) fn watch_for(
    command: &mut Command,
    lines: Lines,
    limit: Duration,
) -> io::Result<Ended> {
    let token = Token::new();
    let mut child = group::separate(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // The child reads the token from the pipe. Later, the end of the pipe
    // tells it that this process is gone. If the child has already ended, the
    // error does not matter.
    let mut input = child.stdin.take().expect("it is piped");
    let _ = input.write_all(token.line().as_bytes());
    let out = child.stdout.take().expect("it is piped");
    let errors = child.stderr.take().expect("it is piped");
    let out = Output::read(out, Listener::new(&token, lines == Lines::Shown));
    let errors = Output::read(errors, Listener::new(&token, false));
    let printed = || out.printed() + errors.printed();
    let ended = wait(&mut child, limit, limit * PATIENCE, &printed)?;
    drop(input);
    // Processes that the child started would hold the output open.
    group::end(child.id());
    let end = Instant::now() + GRACE;
    let heard = out.finish(end);
    let said = errors.finish(end).kept;
    let ending = match (ended, heard.verdict) {
        (Ending::Exited(_), Some(code)) => Ending::Said(code),
        (other, _) => other,
    };
    Ok(Ended { ending, said, now: heard.now, stands: heard.stands })
}

fn wait(
    child: &mut Child,
    limit: Duration,
    patience: Duration,
    printed: &dyn Fn() -> usize,
) -> io::Result<Ending> {
    let (start, mut queued) = (Instant::now(), Duration::ZERO);
    for look in 0_u32.. {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) => Ending::Exited(code),
                None => Ending::Killed(signal(&status)),
            });
        }
        let passed = start.elapsed();
        // Without resource measurements, use the wall clock.
        let (time, room) = match look % LOOKS {
            0 => used(child.id()).unwrap_or((Time::of(passed), 0)),
            _ => (Time::of(Duration::ZERO), 0),
        };
        queued = queued.max(time.queued);
        let ending = if time.used >= limit {
            Ending::TimedOut(limit)
        } else if room > ROOM {
            Ending::Grew
        } else if printed() > PRINTED << 20 {
            Ending::Flooded
        } else if waited(passed, queued, patience) {
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

/// Returns whether the wall-clock limit has passed, not counting the time that
/// a thread was ready but not scheduled.
fn waited(passed: Duration, queued: Duration, patience: Duration) -> bool {
    passed >= patience.saturating_add(queued)
}

/// CPU time of a thread, and the time it was ready but not scheduled.
#[derive(Clone, Copy)]
struct Time {
    used: Duration,
    queued: Duration,
}

impl Time {
    fn of(used: Duration) -> Time {
        Time { used, queued: Duration::ZERO }
    }
}

fn limit() -> Duration {
    let given = env::var(LIMIT_VARIABLE).ok();
    let seconds = given.and_then(|it| it.parse().ok()).unwrap_or(LIMIT);
    Duration::from_secs(seconds)
}

/// Measures the CPU time of the busiest thread of a process, the longest time
/// that a thread was queued, and the private memory in MiB. Returns `None`
/// except on Linux, which has these values in `/proc`.
fn used(process: u32) -> Option<(Time, u64)> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let times = threads.flatten().filter_map(|it| time(&it.path()));
    let most = times.reduce(|a, b| Time {
        used: a.used.max(b.used),
        queued: a.queued.max(b.queued),
    });
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    // In KiB: anonymous, shared and swapped memory. Old kernels do not
    // separate mapped files.
    let own = ["RssAnon:", "RssShmem:", "VmSwap:"];
    let room = sum(&status, &own).or_else(|| sum(&status, &["VmRSS:"]));
    Some((most?, room.unwrap_or(0) >> 10))
}

fn time(thread: &Path) -> Option<Time> {
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    // The thread's name may contain anything; it ends at the last parenthesis.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut ticks = fields.split(' ').skip(11).map(str::parse::<u64>);
    let ticks = ticks.next()?.ok()? + ticks.next()?.ok()?;
    // Some kernels are built without this file.
    let queue = fs::read_to_string(thread.join("schedstat")).ok();
    let queued = queue.and_then(|it| it.split(' ').nth(1)?.parse().ok());
    Some(Time {
        // A clock tick is 10 ms.
        used: Duration::from_millis(10 * ticks),
        queued: Duration::from_nanos(queued.unwrap_or(0)),
    })
}

/// Returns the sum of these fields, or `None` if the first is missing.
fn sum(status: &str, names: &[&str]) -> Option<u64> {
    let number = |name: &&str| -> Option<u64> {
        let line = status.lines().find_map(|it| it.strip_prefix(*name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let first = number(names.first()?)?;
    Some(names[1..].iter().filter_map(number).fold(first, |sum, n| sum + n))
}

fn end(child: &mut Child) {
    // If it ended by itself in the meantime, the error does not matter.
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

/// Ends this process and all processes it started as soon as the parent has
/// ended for any reason. Otherwise a hanging kernel would keep a core busy.
pub(crate) fn end_with_the_parent() {
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        group::end(std::process::id());
        std::process::abort();
    });
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    fn shell(script: &str) -> Ending {
        let mut command = Command::new("sh");
        let command = command.args(["-c", script]);
        watch(command, Lines::Dropped).unwrap().ending
    }

    /// Promise: No exit code of a check is a verdict by itself.
    #[test]
    fn no_exit_code_alone_is_a_verdict() {
        for code in 0..6 {
            let ending = shell(&format!("exit {code}"));
            assert!(matches!(ending, Ending::Exited(it) if it == code));
        }
        assert!(matches!(shell("echo solved"), Ending::Exited(0)));
    }

    /// Promise: Only the process that has the secret token can report a
    /// verdict.
    #[test]
    fn whoever_has_the_token_has_the_verdict() {
        let last = "read a b; echo \"mine\"; echo \"$a$b=solved\"";
        assert!(matches!(shell(last), Ending::Said(Code::Solved)));
        // The learner's last line has no newline.
        let last = "read a b; printf half; echo \"$a$b=failing\"; exit 1";
        assert!(matches!(shell(last), Ending::Said(Code::Failing)));
        let fallen = "read a b; echo \"$a$b=solved\"; kill -SEGV $$";
        assert!(matches!(shell(fallen), Ending::Killed(_)));
    }

    /// Runs a script that leaves a process behind, which holds the output
    /// open. Returns how the script ended, and the id of that process.
    #[cfg(unix)]
    fn left_behind(start: &str) -> (Ending, String) {
        let script = format!("read a b; {start} & echo $! >&2; kill $$");
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script]);
        let Ended { ending, said, .. } =
            watch(command, Lines::Dropped).unwrap();
        (ending, said.trim().to_string())
    }

    #[cfg(unix)]
    fn is_running(id: &str) -> bool {
        let mut command = Command::new("ps");
        let output = command.args(["-o", "stat=", "-p", id]).output().unwrap();
        // An ended process may still be listed, as a zombie.
        let state = String::from_utf8_lossy(&output.stdout).into_owned();
        !state.trim().is_empty() && !state.starts_with('Z')
    }

    /// Promise: A process that a learner's program leaves behind is ended and
    /// delays no verdict.
    #[cfg(unix)]
    #[test]
    fn a_process_that_is_left_behind_ends_and_delays_no_verdict() {
        let start = Instant::now();
        let (ending, id) = left_behind("sleep 600");
        assert!(matches!(ending, Ending::Killed(_)));
        assert!(start.elapsed() < Duration::from_secs(300), "it waited");
        assert!(!id.is_empty() && !is_running(&id), "{id} is running");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_leaves_the_group_delays_no_verdict() {
        let start = Instant::now();
        let (ending, id) = left_behind("setsid sleep 600");
        assert!(matches!(ending, Ending::Killed(_)));
        assert!(start.elapsed() < Duration::from_secs(300), "it waited");
        let _ = Command::new("kill").arg(&id).status();
    }

    /// Promise: A learner's program that prints without end is stopped.
    #[test]
    fn what_prints_without_an_end_is_stopped() {
        assert!(matches!(shell("exec yes"), Ending::Flooded));
        assert!(matches!(shell("exec yes >&2"), Ending::Flooded));
        let line = "x".repeat(1 << 10);
        let some = format!("read a b; yes {line} | head -n 2000 >&2; exit 7");
        assert!(matches!(shell(&some), Ending::Exited(7)));
    }

    /// Promise: A learner's program that allocates without end is stopped.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_grows_without_an_end_is_stopped() {
        // A line without an end is buffered until it has one.
        assert!(matches!(shell("exec tail /dev/zero"), Ending::Grew));
    }

    /// Runs the next test again in a child process that keeps a number of
    /// threads busy until each has used a given CPU time in milliseconds.
    #[cfg(target_os = "linux")]
    fn busy([threads, each]: [usize; 2], limits: [Duration; 2]) -> Ending {
        let test = "child::tests::each_thread_has_the_limit_for_itself";
        let mut command = Command::new(env::current_exe().unwrap());
        let word = format!("{threads} {each}");
        command.args(["--exact", test]).env("BUSY", word);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let [limit, patience] = limits;
        wait(&mut child, limit, patience, &|| 0).unwrap()
    }

    /// A correct answer that uses 64 cores must not be stopped.
    ///
    /// Promise: The time limit applies to each thread, so a right answer may
    /// use every core.
    #[cfg(target_os = "linux")]
    #[test]
    fn each_thread_has_the_limit_for_itself() {
        if let Ok(word) = env::var("BUSY") {
            let word = word.split(' ').map(|it| it.parse::<u128>().unwrap());
            let [threads, each] = word.collect::<Vec<_>>()[..] else { return };
            let own = Path::new("/proc/thread-self");
            let used = || time(own).unwrap().used.as_millis();
            let spin = || while used() < each {};
            return thread::scope(|scope| {
                (0..threads).for_each(|_| drop(scope.spawn(spin)));
            });
        }
        let [limit, patience] = [Duration::from_millis, Duration::from_secs];
        let limits = [limit(600), patience(60)];
        assert!(matches!(busy([6, 300], limits), Ending::Exited(0)));
        let limits = [limit(100), patience(60)];
        assert!(matches!(busy([1, 3000], limits), Ending::TimedOut(_)));
    }

    /// Time spent in the scheduler's queue does not count as waiting. A test
    /// cannot control that time, so it reads recorded kernel files of a thread
    /// that was queued for 2.5 seconds.
    #[test]
    fn who_stands_in_the_queue_does_not_wait() {
        let ms = Duration::from_millis;
        let folder = env::temp_dir().join(format!("queue-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let stat = "7 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 40 20 13 14 15\n";
        fs::write(folder.join("stat"), stat).unwrap();
        let time = |queue: Option<&str>| {
            let write = |it| fs::write(folder.join("schedstat"), it).unwrap();
            queue.map(write);
            let Time { used, queued } = super::time(&folder).unwrap();
            assert_eq!(used, ms(600));
            queued
        };
        // Without the file, and with it.
        assert_eq!(time(None), Duration::ZERO);
        let queued = time(Some("600000000 2500000000 91\n"));
        assert_eq!(queued, ms(2500));
        fs::remove_dir_all(&folder).unwrap();
        let waited = |passed| waited(ms(passed), queued, ms(1000));
        assert!(!waited(3499) && waited(3500));
    }

    /// A driver loads its compiler from a file, which is mapped memory.
    ///
    /// Promise: The memory limit does not count mapped files, so a driver may
    /// be large.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_mapped_of_files_is_no_memory_of_its_own() {
        let status = "VmRSS:\t  9000 kB\nRssAnon:\t  1000 kB\nRssFile:\t  \
                      7900 kB\nRssShmem:\t   100 kB\nVmSwap:\t 20 kB\n";
        let own = ["RssAnon:", "RssShmem:", "VmSwap:"];
        assert_eq!(sum(status, &own), Some(1120));
        assert_eq!(sum("VmRSS:\t 9000 kB\n", &own), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_tells_what_it_has_used() {
        let (time, room) = used(std::process::id()).unwrap();
        assert!(time.used < Duration::from_secs(3600) && room < 1 << 20);
        assert!(used(0).is_none());
    }
}
