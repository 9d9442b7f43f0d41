//! Oclgrind, which simulates a device and looks at every access: it finds the
//! stray write and the race that come with right numbers.

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

/// The name, in a verdict, of a kernel that is written as text in a Rust file.
pub(crate) const TEXT: &str = "the text of your kernel";

/// What Oclgrind says of a kernel.
pub(crate) enum Report {
    Clean,
    /// No stray access, and yet a step failed on its device.
    Unlike,
    /// What it found, ready to print.
    Faults(String),
    /// It did not come to a verdict.
    Unknown(String),
}

/// What the steps said on a device as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Right,
    Wrong,
}

/// Lets the check run once more, under Oclgrind. It exits with 0 whatever it
/// finds, so its log is what counts, and a log counts that is whole.
/// Of a kernel with right numbers it wants to know most, and somebody may count
/// what it does.
pub(crate) fn look(
    program: &Path,
    file: &str,
    kind: Kind,
    numbers: Numbers,
    counters: Option<&Counters>,
) -> Report {
    if !is_installed() {
        let why = "Oclgrind is not installed; `cargo learn setup` does it";
        return Report::Unknown(why.to_string());
    }
    let _ = fs::create_dir_all(report::folder());
    let looks = match numbers {
        Numbers::Wrong => {
            let words = ["--data-races", "--uninitialized"];
            vec![simulation(program, &words, None)]
        }
        // To know which value nobody has written takes as long as all else, and
        // a second core may have nothing to do. Items that write the same
        // number to one place race all the same; a kernel in which all do all
        // would take long to tell.
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
    // Version 21 does not know an instruction that the optimizer makes of a
    // division beside its remainder.
    command.args(["--build-options", "-cl-opt-disable", "--log"]).arg(&log);
    if let Some(counters) = counters {
        counters.attach(&mut command);
    }
    command.arg(program).env(ROLE, Role::Simulated.name());
    // It has one device of its own, and no other.
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
    /// Says what is known when its log tells of no fault.
    fn report(self) -> Report {
        let unknown = |why: String| Report::Unknown(format!("Oclgrind {why}"));
        match self.ended {
            Ok(Ending::Said(Code::Solved | Code::Failing))
                if !is_whole(&self.log) =>
            {
                unknown(format!("left no whole log in {}", shown_folder()))
            }
            Ok(Ending::Said(Code::Solved)) => Report::Clean,
            Ok(Ending::Said(Code::Failing)) => Report::Unlike,
            Ok(Ending::Said(_) | Ending::Exited(_)) => {
                unknown("came to no verdict".to_string())
            }
            Ok(Ending::Killed(signal)) => {
                unknown(format!("ended by signal {signal}"))
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

/// A kernel of our own that reads past its array.
const TRACE: &str = "rungrad_trace";

/// Tells whether a log holds the report of what is done at the very end.
fn is_whole(log: &str) -> bool {
    blocks(log).any(|block| kernel_of(&block) == Some(TRACE))
}

/// Makes, in the child and at the very end, an access that Oclgrind must
/// report. A log without that report was cut off, never written or never
/// looked at.
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
        // SAFETY: the read past `a` is what this is for, and the device, which
        // is simulated, does not do it.
        unsafe { launch.run() }?;
        out.read().map(drop)
    };
    // Without the trace the log is not believed.
    let _ = trace();
}

/// Tells whether a device is the one that Oclgrind simulates.
#[cfg(feature = "opencl")]
pub(crate) fn is_simulated(gpu: &Gpu) -> bool {
    gpu.info().platform == "Oclgrind"
}

fn is_installed() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join("oclgrind").is_file())
}

/// Puts the log where cargo builds: others may not write there, and it is our
/// own disk that must have room.
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
        // The report of our own fault is none of the learner's.
        assert_eq!(faults(&last, "kernel void mine()", "my.cl"), "");
    }
}
