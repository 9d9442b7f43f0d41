//! Runs a check under Oclgrind, which simulates a device and checks every
//! access: it finds stray writes and data races that leave the result correct.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, process, thread};

#[cfg(feature = "opencl")]
use rungrad::Error;
#[cfg(feature = "opencl")]
use rungrad::opencl::{Gpu, Source};

use crate::child::{self, Ending, Lines};
use crate::findings::{blocks, faults, kernel_of};
use crate::frame::{Kind, ROLE, Role};
use crate::report::{self, shown};
use crate::speed::Counters;
use crate::verdict::Code;

/// The name in verdicts of a kernel that is a string in a Rust file.
pub(crate) const TEXT: &str = "the text of your kernel";

/// Oclgrind's report on a kernel.
pub(crate) enum Report {
    Clean,
    /// No finding, although a step failed on the real device.
    Unlike,
    /// The findings, ready to print.
    Faults(String),
    /// No result, and the reason.
    Unknown(String),
}

/// The result of the steps on the real device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Right,
    Wrong,
}

/// Runs the check again under Oclgrind. Oclgrind exits with 0 whatever it
/// finds, so only its log counts, and only if the log is complete. A kernel
/// with correct results gets the most thorough analysis, and its memory
/// accesses may be counted.
pub(crate) fn look(
    program: &Path,
    file: &str,
    kind: Kind,
    numbers: Numbers,
    counters: Option<&Counters>,
) -> Report {
    if !is_installed() {
        let why = "Oclgrind is not installed; `cargo learn setup` installs it";
        return Report::Unknown(why.to_string());
    }
    let _ = fs::create_dir_all(report::folder());
    let looks = match numbers {
        Numbers::Wrong => {
            let words = ["--data-races", "--uninitialized"];
            vec![simulation(program, &words, None)]
        }
        // Detecting uninitialized values takes as long as everything else
        // together, so it runs on a second core. Writes of equal values are
        // races too; they are reported only here, because a wrong kernel in
        // which every item does all the work would have very many.
        Numbers::Right => thread::scope(|scope| {
            let values =
                scope.spawn(|| simulation(program, &["--uninitialized"], None));
            let words = ["--data-races", "--uniform-writes"];
            let races = simulation(program, &words, counters);
            vec![races, values.join().expect("it waits and reads")]
        }),
    };
    let logs: Vec<&str> = looks.iter().map(|it| it.log.as_str()).collect();
    let (own, place) = match kind {
        Kind::KernelText(name) => (name.to_string(), TEXT.to_string()),
        _ => (fs::read_to_string(file).unwrap_or_default(), shown(file)),
    };
    let faults = faults(&logs.join("\n\n"), &own, &place);
    if !faults.is_empty() {
        return Report::Faults(faults);
    }
    let mut reports = looks.into_iter().map(Simulation::report);
    let unclean = reports.find(|it| !matches!(it, Report::Clean));
    unclean.unwrap_or(Report::Clean)
}

/// A run of the check under Oclgrind.
struct Simulation {
    ended: io::Result<Ending>,
    log: String,
}

fn simulation(
    program: &Path,
    words: &[&str],
    counters: Option<&Counters>,
) -> Simulation {
    let log = log();
    let mut command = Command::new("oclgrind");
    command.args(words);
    // Oclgrind 21 lacks an instruction that the optimizer generates for a
    // division and its remainder.
    command.args(["--build-options", "-cl-opt-disable", "--log"]).arg(&log);
    if let Some(counters) = counters {
        counters.attach(&mut command);
    }
    command.arg(program).env(ROLE, Role::Simulated.name());
    // Oclgrind provides only its own device.
    command.env_remove("RUNGRAD_DEVICE");
    let ended = child::watch(&mut command, Lines::Dropped);
    let text = fs::read(&log).unwrap_or_default();
    let _ = fs::remove_file(&log);
    Simulation {
        ended: ended.map(|it| it.ending),
        log: String::from_utf8_lossy(&text).into_owned(),
    }
}

impl Simulation {
    /// Returns the report if the log has no findings.
    fn report(self) -> Report {
        let unknown = |why: String| Report::Unknown(format!("Oclgrind {why}"));
        match self.ended {
            Ok(Ending::Said(Code::Solved | Code::Failing))
                if !is_whole(&self.log) =>
            {
                unknown(format!("left an incomplete log in {}", shown_folder()))
            }
            Ok(Ending::Said(Code::Solved)) => Report::Clean,
            Ok(Ending::Said(Code::Failing)) => Report::Unlike,
            Ok(Ending::Said(_) | Ending::Exited(_)) => {
                unknown("gave no verdict".to_string())
            }
            Ok(Ending::Killed(signal)) => {
                unknown(format!("was ended by signal {signal}"))
            }
            Ok(Ending::TimedOut(limit) | Ending::Waited(limit)) => {
                unknown(format!("took more than {} s", limit.as_secs()))
            }
            Ok(Ending::Grew) => {
                unknown(format!("took more than {} MiB", child::ROOM))
            }
            Ok(Ending::Flooded) => {
                unknown(format!("printed more than {} MiB", child::PRINTED))
            }
            Err(error) => unknown(format!("did not start: {error}")),
        }
    }
}

/// A kernel that reads past its array on purpose.
const TRACE: &str = "rungrad_trace";

/// Returns whether the log contains the intentional finding from the end.
fn is_whole(log: &str) -> bool {
    blocks(log).any(|block| kernel_of(&block) == Some(TRACE))
}

/// At the very end of the child, makes an access that Oclgrind must report. A
/// log without this report is incomplete or does not come from Oclgrind.
#[cfg(feature = "opencl")]
pub(crate) fn leave_a_trace() {
    let text = format!(
        "kernel void {TRACE}(global const float *a, global float *out) \
         {{ out[0] = a[1]; }}"
    );
    let trace = || -> Result<(), Error> {
        let gpu = Gpu::first()?;
        if !is_simulated(&gpu) {
            return Ok(());
        }
        let (a, out) = (gpu.upload(&[0.0])?, gpu.upload(&[0.0])?);
        let source = Source::new("the trace", &text, TRACE);
        let launch = gpu.launch_source(&source);
        let launch = launch.input(&a, 1).output(&out, 1).global(1).local(1);
        // SAFETY: the read past `a` is intentional. The device is simulated,
        // so no such read takes place.
        unsafe { launch.run() }?;
        out.read().map(drop)
    };
    // If this fails, the log counts as incomplete.
    let _ = trace();
}

/// Returns whether a device is simulated by Oclgrind.
#[cfg(feature = "opencl")]
pub(crate) fn is_simulated(gpu: &Gpu) -> bool {
    gpu.info().platform == "Oclgrind"
}

fn is_installed() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join("oclgrind").is_file())
}

/// Returns a log path in cargo's build folder, which other users cannot write
/// to.
fn log() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    report::folder().join(format!("oclgrind-{}-{count}.log", process::id()))
}

fn shown_folder() -> String {
    shown(&report::folder().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: &str = "
Invalid write of size 4 at global memory address 0xd000000000014
\tKernel: mine
\tEntity: Global(5,0,0) Local(5,0,0) Group(0,0,0)
\t  store float %mul, float addrspace(1)* %arrayidx4, align 4, !dbg !40
\tAt line 7 (column 15) of input.cl:
\t  out[i] = a[i];
\t
";

    /// Promise: A truncated Oclgrind log does not count as a clean run.
    #[test]
    fn a_log_without_the_last_report_is_not_whole() {
        let last = WRITE.replace("mine", TRACE);
        assert!(is_whole(&format!("{WRITE}\n{last}")));
        assert!(!is_whole("") && !is_whole(WRITE));
        // The intentional finding is not reported to the learner.
        assert_eq!(faults(&last, "kernel void mine()", "my.cl"), "");
    }
}
