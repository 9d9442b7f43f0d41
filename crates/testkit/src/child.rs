//! Runs a test again in a child process: a driver is initialized only once in
//! a process, and a crash or a hang must become a test failure.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

/// The variable that marks the child process.
const CHILD: &str = "RUNGRAD_TEST_CHILD";

/// Much more than any child needs on a busy machine: it only ends hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// The exit status and output of a child.
pub struct Outcome {
    pub status: ExitStatus,
    pub text: String,
}

/// Returns whether this process is the child.
pub fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// Returns a command that runs the test `name` of this program as a child.
pub fn child(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("a path"));
    configure_child(&mut command, name);
    command
}

/// Like [`child`], without `RUNGRAD_TENSOR_CORES`, so that the device selects
/// its kernels by the default rule.
pub fn untuned(name: &str) -> Command {
    let mut command = child(name);
    command.env_remove("RUNGRAD_TENSOR_CORES");
    command
}

/// Enables PoCL's optimizer for a command whose kernels run for a long time.
pub fn optimized(command: &mut Command) -> &mut Command {
    command.env_remove("POCL_EXTRA_BUILD_FLAGS")
}

/// Makes `tool`, whose own options come first, run the test `name` as a child.
pub fn child_under(tool: &mut Command, name: &str) {
    tool.arg(env::current_exe().expect("a path"));
    configure_child(tool, name);
}

/// Runs the test again in a child without PoCL's optimizer, which takes
/// seconds for a tiled kernel. Returns false in the child, where the test then
/// continues.
pub fn rerun_without_optimizer(name: &str) -> bool {
    if is_child() {
        return false;
    }
    let plain = "-cl-opt-disable";
    succeed(child(name).env("POCL_EXTRA_BUILD_FLAGS", plain));
    true
}

fn configure_child(command: &mut Command, name: &str) {
    command
        .args(["--exact", name, "--include-ignored", "--nocapture"])
        .arg("--test-threads=1")
        .env(CHILD, "1")
        .env_remove("RUNGRAD_DEVICE");
}

/// Runs the command to its end or to the limit, and collects its output.
pub fn finish(command: &mut Command) -> Outcome {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let streams = [
        collect(child.stdout.take().expect("piped")),
        collect(child.stderr.take().expect("piped")),
    ];
    let status = wait(&mut child);
    let text = streams.map(|s| s.join().expect("a reader")).concat();
    let status = status.unwrap_or_else(|| {
        panic!("{command:?} did not end within {LIMIT:?}:\n{text}")
    });
    Outcome { status, text }
}

/// Runs the command and returns its output. Panics with the output if it
/// fails.
pub fn succeed(command: &mut Command) -> String {
    let outcome = finish(command);
    assert!(
        outcome.status.success(),
        "{command:?} ended with {}:\n{}",
        outcome.status,
        outcome.text
    );
    outcome.text
}

fn collect(
    mut stream: impl Read + Send + 'static,
) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Some(status) = child.try_wait().expect("a child can be asked") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    // The child may just have ended, which is not an error.
    let _ = child.kill();
    child.wait().expect("a child can be waited for");
    None
}
