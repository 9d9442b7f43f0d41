//! Runs a program with limits: a mutant may hang, print without end or ask
//! for all the memory there is.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

/// What a program of tests may ask for, in KiB. Drivers ask for much and use
/// little.
const MEMORY: &str = "12000000";

/// What is kept of what it says.
const KEPT: usize = 1 << 18;

/// How a program ended: its status is `None` if its time was over.
pub(crate) struct Ending {
    pub(crate) status: Option<ExitStatus>,
    /// The processor's, where the system tells it, all threads together.
    pub(crate) time: Duration,
    pub(crate) text: String,
}

impl Ending {
    pub(crate) fn good(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// A program has a limit of its memory, where the system knows one, and a
/// process group of its own. That group does not hear a Ctrl-C: so a guard in
/// it waits for the end of a pipe that only we hold open, and then ends the
/// group.
const GUARD: &str = r#"
exec 3<&0 </dev/null
{ read -r never <&3; kill -KILL 0; } >/dev/null 2>&1 &
ulimit -v "$0" 2>/dev/null
exec "$@" 3<&-
"#;

/// `program` under guard, for [`finish`].
pub(crate) fn guarded(program: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", GUARD, MEMORY, program]);
    command
}

/// Runs it to its end or to the limit, and ends all that it has started. The
/// limit is of the processor's time, so that a busy machine ends nothing; what
/// only waits has ten times as long.
pub(crate) fn finish(
    command: &mut Command,
    limit: Duration,
) -> Result<Ending, String> {
    let mut child = command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{command:?} does not start: {error}"))?;
    let readers = [
        listen(child.stdout.take().expect("piped")),
        listen(child.stderr.take().expect("piped")),
    ];
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let mut time = Duration::ZERO;
    let status = loop {
        let now = used(child.id());
        let most = if now.is_some() { limit * 10 } else { limit };
        time = now.unwrap_or_else(|| start.elapsed()).max(time);
        match child.try_wait() {
            Ok(None) if time < limit && start.elapsed() < most => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Ok(ended) => break ended,
            Err(error) => return Err(format!("{command:?}: {error}")),
        }
    };
    // The guard sees the end of the pipe.
    drop(child.stdin.take());
    let _ = child.wait();
    let text = readers.map(|it| it.join().unwrap_or_default()).concat();
    Ok(Ending { status, time, text })
}

/// What a program has had of the processor, with those of its children that
/// have ended; `None` on a system without such files.
fn used(id: u32) -> Option<Duration> {
    let line = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // Its name stands between parentheses, and may hold any sign.
    let (_, rest) = line.rsplit_once(')')?;
    let ticks = rest.split_whitespace().skip(11).take(4);
    let ticks: Option<u64> = ticks.map(|it| it.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks? * 10))
}

fn listen(
    mut stream: impl Read + Send + 'static,
) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut part = vec![0; 1 << 16];
        // What is too much is read as well, or the program would wait.
        while let Ok(length @ 1..) = stream.read(&mut part) {
            let room = KEPT - kept.len();
            kept.extend_from_slice(&part[..length.min(room)]);
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

/// Does so with a folder for what its tests write, somewhere in this one:
/// others run at the same time.
pub(crate) fn finish_apart(
    command: &mut Command,
    folder: &Path,
    limit: Duration,
) -> Result<Ending, String> {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Relaxed).to_string();
    let scratch = folder.join("target/scratch").join(run);
    fs::create_dir_all(&scratch)
        .map_err(|error| format!("{}: {error}", scratch.display()))?;
    let ending = finish(command.env("RUNGRAD_SCRATCH", &scratch), limit);
    let _ = fs::remove_dir_all(&scratch);
    ending
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs, process};

    use super::*;

    /// Promise: A mutant that hangs is ended together with every process that
    /// it started.
    #[test]
    fn a_program_that_hangs_is_ended_with_all_that_it_started() {
        for rest in ["sleep 600 & wait", "while :; do :; done"] {
            let mut command = guarded("sh");
            command.args(["-c", &format!("echo begun; {rest}")]);
            let limit = Duration::from_millis(300);
            let ending = finish(&mut command, limit).unwrap();
            assert!(ending.status.is_none());
            // The readers have ended, so nobody holds the pipe any more.
            assert_eq!(ending.text, "begun\n");
            // What only waits takes no time, where the system tells it.
            let told = Path::new("/proc/self/stat").exists();
            let busy = ending.time >= limit;
            assert_eq!(busy, !told || rest.starts_with("while"));
        }
    }

    #[test]
    fn what_is_too_much_is_read_and_not_kept() {
        let mut command = guarded("sh");
        command.args(["-c", "head -c 1000000 /dev/zero; exit 3"]);
        let ending = finish(&mut command, Duration::from_secs(600)).unwrap();
        assert_eq!(ending.status.and_then(|it| it.code()), Some(3));
        assert!(!ending.good());
        assert_eq!(ending.text.len(), KEPT);
    }

    /// As Ctrl-C ends the tool, which a mutant that loops would not hear.
    ///
    /// Promise: No mutant outlives the mutation tool.
    #[test]
    fn a_program_does_not_outlive_who_has_started_it() {
        let name = "a_program_does_not_outlive_who_has_started_it";
        if let Some(file) = env::var_os("MUTANTS_CHILD") {
            let mut command = guarded("sh");
            command.args(["-c", "echo $$ >\"$0\"; while :; do :; done"]);
            let limit = Duration::from_secs(600);
            finish(command.arg(file), limit).unwrap();
            return;
        }
        let file = env::temp_dir().join(format!("{name}.{}", process::id()));
        let mut starter = Command::new(env::current_exe().unwrap())
            .args(["--exact", &format!("program::tests::{name}")])
            .env("MUTANTS_CHILD", &file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let number = loop {
            match fs::read_to_string(&file) {
                Ok(text) if text.ends_with('\n') => break text,
                _ => thread::sleep(Duration::from_millis(10)),
            }
        };
        let _ = fs::remove_file(&file);
        starter.kill().unwrap();
        starter.wait().unwrap();
        let is_there = || {
            let mut kill = Command::new("kill");
            let kill = kill.args(["-0", number.trim()]).stderr(Stdio::null());
            kill.status().unwrap().success()
        };
        let start = Instant::now();
        while is_there() && start.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(10));
        }
        let outlived = is_there();
        if outlived {
            let _ = Command::new("kill").args(["-9", number.trim()]).status();
        }
        assert!(!outlived, "it runs on");
    }
}
