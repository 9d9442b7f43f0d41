//! Detects crashes of a check that are caused by the driver instead of the
//! learner.

use std::path::Path;
use std::process::Command;

pub(crate) use rungrad::opencl::cache_damage;
use rungrad::opencl::{self, Gpu, cache_failure};

use crate::child::{self, Ended, Ending, Lines};
use crate::frame::{Kind, ROLE, Role};
use crate::verdict::Code;

/// Returns why a child ended without a verdict if the driver is the cause.
/// Call this before reporting a kernel as wrong.
pub(crate) fn excuse(
    program: &Path,
    ending: &Ending,
    kind: Kind,
    said: &str,
) -> Option<String> {
    // A driver is not blamed for an endless loop.
    let crashed = matches!(ending, Ending::Killed(_) | Ending::Exited(_));
    if !crashed || kind == Kind::Code {
        return cache_failure(said).map(innocent);
    }
    let found = cache_failure(said).or_else(cache_damage);
    found.or_else(|| probe_fails(program)).map(innocent)
}

fn innocent(why: String) -> String {
    format!("the driver failed, so your code was not checked. {why}")
}

/// Runs a known kernel in a separate process and returns how it failed.
fn probe_fails(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.env(ROLE, Role::Probe.name());
    let Ended { ending, said, .. } =
        child::watch(&mut command, Lines::Dropped).ok()?;
    if matches!(ending, Ending::Said(Code::Solved)) {
        return None;
    }
    cache_failure(&said).or_else(|| {
        let line = said.lines().rfind(|it| !it.trim().is_empty());
        let line = line.map(|it| format!(" (\"{}\")", it.trim()));
        Some(format!(
            "A kernel of the course fails on this device too{}. Run `cargo \
             learn doctor`.",
            line.unwrap_or_default()
        ))
    })
}

/// In the child, compiles and runs a known kernel instead of the steps.
pub(crate) fn probe() -> Code {
    match Gpu::first().and_then(|gpu| opencl::probe(&gpu)) {
        Ok(()) => Code::Solved,
        Err(error) => {
            eprintln!("{error}");
            Code::Failing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "dlopen(\"/c/vector_add.so\") failed with \
                        '/c/vector_add.so: file too short'.";

    /// Calls `excuse` with an empty program path, so that no probe can run.
    fn excuse(ending: &Ending, kind: Kind, said: &str) -> Option<String> {
        super::excuse(Path::new(""), ending, kind, said)
    }

    #[test]
    fn a_damaged_or_full_cache_is_the_driver_s_failure() {
        let full = "LLVM ERROR: IO failure on output stream: No space left";
        let text = Kind::KernelText("chain");
        for kind in [Kind::Kernel, text, Kind::Code] {
            let said = excuse(&Ending::Killed(6), kind, LINE).unwrap();
            assert!(said.starts_with("the driver failed"), "{said}");
            assert!(said.contains("Delete the folder"), "{said}");
            let said = excuse(&Ending::Exited(1), kind, full).unwrap();
            assert!(said.contains("the disk is full"), "{said}");
        }
    }

    #[test]
    fn code_without_a_kernel_is_not_excused_without_a_line_of_the_driver() {
        assert_eq!(excuse(&Ending::Killed(6), Kind::Code, "aborted"), None);
    }
}
