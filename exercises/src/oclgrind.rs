//! Oclgrind, which simulates a device and looks at every access: it finds the
//! stray write and the race that come with right numbers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use rungrad::Error;
use rungrad::opencl::{Gpu, Source};

use crate::child::{self, Ending, Lines};
use crate::frame::{ROLE, Role};
use crate::report::{self, filled, shown};
use crate::speed::Counters;
use crate::verdict::Code;

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
    numbers: Numbers,
    counters: Option<&Counters>,
) -> Report {
    let unknown = |why: &str| Report::Unknown(why.to_string());
    if !is_installed() {
        return unknown(
            "Oclgrind is not installed; `cargo learn setup` does it",
        );
    }
    let log = log();
    let _ = fs::create_dir_all(report::folder());
    let mut command = Command::new("oclgrind");
    command.args(["--data-races", "--uninitialized"]);
    if numbers == Numbers::Right {
        // Items that write the same number to one place race all the same; a
        // kernel in which all do all would take long to tell.
        command.arg("--uniform-writes");
    }
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
    let text = String::from_utf8_lossy(&text);
    let _ = fs::remove_file(&log);
    let own = fs::read_to_string(file).unwrap_or_default();
    let faults = faults(&text, &own, &shown(file));
    let is_whole = is_whole(&text);
    let unknown = |why: String| Report::Unknown(format!("Oclgrind {why}"));
    match ended {
        _ if !faults.is_empty() => Report::Faults(faults),
        Ok((Ending::Said(Code::Solved | Code::Failing), _)) if !is_whole => {
            unknown(format!("left no whole log in {}", shown_folder()))
        }
        Ok((Ending::Said(Code::Solved), _)) => Report::Clean,
        Ok((Ending::Said(Code::Failing), _)) => Report::Unlike,
        Ok((Ending::Said(_) | Ending::Exited(_), _)) => {
            unknown("came to no verdict".to_string())
        }
        Ok((Ending::Killed(signal), _)) => {
            unknown(format!("ended by signal {signal}"))
        }
        Ok((Ending::TimedOut(limit) | Ending::Waited(limit), _)) => {
            unknown(format!("took more than {} s", limit.as_secs()))
        }
        Ok((Ending::Grew, _)) => {
            unknown(format!("took more than {} MiB", child::ROOM))
        }
        Err(error) => unknown(format!("did not start: {error}")),
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
    report::folder().join(format!("oclgrind-{}.log", process::id()))
}

fn shown_folder() -> String {
    shown(&report::folder().to_string_lossy())
}

/// Returns the log's findings, line by line.
fn blocks(log: &str) -> impl Iterator<Item = Vec<&str>> {
    log.split("\n\n")
        .map(|block| block.lines().filter(|it| !it.trim().is_empty()).collect())
}

fn kernel_of<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let named = lines.iter().find_map(|it| it.trim().strip_prefix("Kernel:"));
    named.map(str::trim)
}

/// How many findings are worth reading at once.
const SHOWN: usize = 3;

/// Lists the findings of a log in the kernels of `source`, each kind at each
/// line once, ready to print. `file` is what the reader calls the source.
fn faults(log: &str, source: &str, file: &str) -> String {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for lines in blocks(log) {
        let Some(kernel) = kernel_of(&lines) else { continue };
        // The check runs kernels of the engine as well.
        if !source.contains(kernel) {
            continue;
        }
        let kind = lines[0].split(" address").next().unwrap_or_default();
        let place = lines.iter().find_map(|it| line_number(it));
        if !seen.contains(&(kind, place)) {
            seen.push((kind, place));
            found.push((kind, finding(kind, &lines, file)));
        }
    }
    // What was read outside an array, before a barrier or without one is
    // unwritten as well, of course.
    let follows = |kind: &str| kind.starts_with("Uninitialized");
    if found.iter().any(|(kind, _)| !follows(kind)) {
        found.retain(|(kind, _)| !follows(kind));
    }
    found.sort_by_key(|(kind, _)| rank(kind));
    let rest = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    let texts: Vec<&str> = found.iter().map(|(_, text)| &**text).collect();
    let mut text = texts.join("\n");
    if rest > 0 {
        text += &format!("\n  and {rest} more of such lines\n");
    }
    let Some((kind, first)) = found.first() else { return text };
    if let Some(words) = meaning(kind) {
        let more = if kind.contains("data race") && adds(first) {
            " Where many add to one place, an atomic function does it in one step."
        } else {
            ""
        };
        text += &format!("\n{}", filled(&format!("{words}{more}")));
    }
    text
}

/// Tells whether both items of a race came by one line, which adds.
fn adds(finding: &str) -> bool {
    let codes = finding.lines().filter(|line| line.starts_with("      "));
    let codes: Vec<&str> = codes.collect();
    let adds = |code: &&str| code.contains("+=") || code.contains("++");
    codes.windows(2).all(|pair| pair[0] == pair[1]) && codes.iter().any(adds)
}

/// Causes come before what follows from them.
fn rank(kind: &str) -> usize {
    let causes = ["Work-group divergence", "Invalid", "Index"];
    match causes.iter().position(|cause| kind.starts_with(cause)) {
        Some(at) => at,
        None if kind.contains("data race") => causes.len(),
        None => causes.len() + 1,
    }
}

/// Returns what a finding means, and what to do, where its name does not say
/// so.
fn meaning(kind: &str) -> Option<&'static str> {
    if kind.starts_with("Work-group divergence") {
        Some(
            "A barrier is for all items of a group: none may leave before it, \
             and no `if` may let only some of them come. Mend this first: \
             until then no number of the kernel can be trusted.",
        )
    } else if kind.contains("data race at local memory") {
        Some(
            "Two items use one cell, one of them writes, and nothing says who \
             comes first. A barrier on the way from the one line to the other \
             would.",
        )
    } else if kind.contains("data race") {
        Some(
            "Two items use one element, one of them writes, and nothing says \
             who comes first. Let one item alone write it.",
        )
    } else if kind.starts_with("Uninitialized value") {
        Some(
            "Somebody used what nobody had written. Each variable and each \
             cell gets a value before it is read.",
        )
    } else {
        None
    }
}

/// Writes one finding: what, which work-item, and the line with its code. The
/// lines of the compiler's own language between them help nobody.
fn finding(kind: &str, lines: &[&str], file: &str) -> String {
    let mut text = format!("  {kind}\n");
    for (at, line) in lines.iter().enumerate() {
        // `Only 5 out of 8 work-items executed barrier`
        if let Some(rest) = line.trim().strip_prefix("Only ") {
            let counts = rest.split(" executed").next().unwrap_or(rest);
            text += &format!("    only {counts} came\n");
        }
        if let Some((_, rest)) = line.split_once("Global(") {
            let item = rest.split(')').next().unwrap_or_default();
            let item = item.trim_end_matches(",0");
            text += &format!("    by work-item {item}\n");
        }
        if let Some(number) = line_number(line) {
            let code = lines.get(at + 1).map_or("", |it| it.trim());
            text += &format!("    at {file}:{number}\n      {code}\n");
        }
    }
    text
}

/// Finds the 7 in `At line 7 (column 15) of input.cl:`.
fn line_number(line: &str) -> Option<usize> {
    let rest = line.trim().strip_prefix("At line ")?;
    rest.split(' ').next()?.parse().ok()
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

    #[test]
    fn a_finding_names_item_and_line_and_quotes_the_code() {
        let expected = "  Invalid write of size 4 at global memory
    by work-item 5
    at my.cl:7
      out[i] = a[i];
";
        assert_eq!(faults(WRITE, "kernel void mine()", "my.cl"), expected);
    }

    #[test]
    fn a_log_without_the_last_report_is_not_whole() {
        let last = WRITE.replace("mine", TRACE);
        assert!(is_whole(&format!("{WRITE}\n{last}")));
        assert!(!is_whole("") && !is_whole(WRITE));
        // The report of our own fault is none of the learner's.
        assert_eq!(faults(&last, "kernel void mine()", "my.cl"), "");
    }

    #[test]
    fn the_same_finding_is_told_once() {
        let other = WRITE.replace("5,0,0", "6,0,0");
        let log = format!("{WRITE}\n{other}");
        let source = "kernel void mine()";
        assert_eq!(faults(&log, source, "f"), faults(WRITE, source, "f"));
    }

    #[test]
    fn the_engine_s_own_kernels_are_not_the_learner_s() {
        assert_eq!(faults(WRITE, "kernel void yours()", "my.cl"), "");
        assert_eq!(faults("", "kernel void yours()", "my.cl"), "");
    }

    #[test]
    fn a_barrier_that_some_miss_names_how_many_came() {
        let log = "
Work-group divergence detected (barrier)
\tKernel:     mine
\tWork-group: (0,0,0)
\tOnly 5 out of 8 work-items executed barrier
\t  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5, !dbg !46
\tAt line 10 (column 9) of input.cl:
\t  barrier(CLK_LOCAL_MEM_FENCE);
\t
";
        let expected = "  Work-group divergence detected (barrier)
    only 5 out of 8 work-items came
    at my.cl:10
      barrier(CLK_LOCAL_MEM_FENCE);

A barrier is for all items of a group";
        let said = faults(log, "kernel void mine()", "my.cl");
        assert!(said.starts_with(expected), "{said}");
    }

    #[test]
    fn what_follows_from_another_fault_is_not_told() {
        let read = WRITE.replace("write", "read");
        let kind = "Uninitialized value written to global memory";
        let follows =
            WRITE.replace("Invalid write of size 4 at global memory", kind);
        let source = "kernel void mine()";
        let log = format!("{follows}\n{read}");
        assert_eq!(faults(&log, source, "f"), faults(&read, source, "f"));
        let said = faults(&follows, source, "f");
        assert!(said.contains(kind) && said.contains("nobody had"), "{said}");
    }

    #[test]
    fn a_race_names_both_items() {
        let log = "
Read-write data race at global memory address 0x1
\tKernel: mine
\tFirst entity:  Global(0,0,0) Local(0,0,0) Group(0,0,0)
\t  %0 = load float
\tAt line 3 (column 1) of input.cl:
\t  x[0] += 1;
\tSecond entity: Global(1,2,0) Local(1,0,0) Group(0,0,0)
\t  store float
\tAt line 4 (column 1) of input.cl:
\t  y = x[0];
";
        let said = faults(log, "mine", "my.cl");
        assert!(said.contains("by work-item 0\n    at my.cl:3"), "{said}");
        assert!(said.contains("by work-item 1,2\n    at my.cl:4"), "{said}");
        assert!(said.contains("Let one item alone write it."), "{said}");
        assert!(!said.contains("atomic"), "{said}");
        let both = log.replace("y = x[0];", "x[0] += 1;");
        let said = faults(&both, "mine", "my.cl");
        assert!(said.contains("Where many add to one place"), "{said}");
    }
}
