//! Runs a program with limits: a mutant may hang, print without end or ask
//! for all the memory there is.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a program of tests may ask for, in KiB. Drivers ask for much and use
/// little.
const MEMORY: &str = "12000000";

/// What is kept of what it says.
const KEPT: usize = 1 << 18;

/// How a program ended: `None` if its time was over.
pub(crate) struct Ending {
    pub(crate) status: Option<ExitStatus>,
    pub(crate) text: String,
}

impl Ending {
    pub(crate) fn good(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// `program` with a limit of its memory, where the system knows one.
pub(crate) fn limited(program: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY} 2>/dev/null; exec \"$0\" \"$@\"");
    command.args(["-c", &script, program]);
    command
}

/// Runs it to its end or to the limit, and ends all that it has started.
pub(crate) fn finish(
    command: &mut Command,
    limit: Duration,
) -> Result<Ending, String> {
    let mut child = command
        .process_group(0)
        .stdin(Stdio::null())
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
    let status = loop {
        match child.try_wait() {
            Ok(None) if start.elapsed() < limit => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Ok(ended) => break ended,
            Err(error) => return Err(format!("{command:?}: {error}")),
        }
    };
    let group = format!("-{}", child.id());
    let _ = Command::new("kill")
        .args(["-KILL", "--", &group])
        .stderr(Stdio::null())
        .status();
    let _ = child.wait();
    let text = readers.map(|it| it.join().unwrap_or_default()).concat();
    Ok(Ending { status, text })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_ended_with_all_that_it_started() {
        let mut command = limited("sh");
        command.args(["-c", "echo begun; sleep 600 & wait"]);
        let ending = finish(&mut command, Duration::from_millis(300)).unwrap();
        assert!(ending.status.is_none());
        // The readers have ended, so nobody holds the pipe any more.
        assert_eq!(ending.text, "begun\n");
    }

    #[test]
    fn what_is_too_much_is_read_and_not_kept() {
        let mut command = limited("sh");
        command.args(["-c", "head -c 1000000 /dev/zero; exit 3"]);
        let ending = finish(&mut command, Duration::from_secs(600)).unwrap();
        assert_eq!(ending.status.and_then(|it| it.code()), Some(3));
        assert!(!ending.good());
        assert_eq!(ending.text.len(), KEPT);
    }
}
