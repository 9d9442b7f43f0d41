//! A test program whose kernels can be changed without compiling it again.
//!
//! The crate embeds its kernels with `include_str!`, so the executable contains
//! their text. A mutant is a copy of the executable with a different text of
//! the same length. The copy is in the same folder, and a test that starts its
//! own program under Oclgrind starts the copy.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Result;

/// A test program, with the positions of the text of one kernel file.
pub(crate) struct Program {
    path: PathBuf,
    copy: PathBuf,
    bytes: Vec<u8>,
    offsets: Vec<usize>,
    length: usize,
}

impl Program {
    /// Builds a test program of the project in the current folder, and finds the
    /// text of a kernel file in it.
    pub(crate) fn new(name: &str, kernel: &str) -> Result<Program> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--no-run", "--color=never", "--test", name]);
        let output = cargo.output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        // `  Executable tests/ladder.rs (target/debug/deps/ladder-0123456789)`
        let mut paths = text.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix("Executable ")?;
            rest.split_once(" (")?.1.strip_suffix(')')
        });
        let path = paths.next().filter(|_| output.status.success());
        let path = path.ok_or(format!("{name} does not build:\n{text}"))?;
        let path = fs::canonicalize(path)?;
        let bytes = fs::read(&path)?;
        let is_start = |&at: &usize| bytes[at..].starts_with(kernel.as_bytes());
        let offsets = (0..bytes.len()).filter(is_start).collect();
        let (copy, length) = (path.with_extension("mutant"), kernel.len());
        Ok(Program { path, copy, bytes, offsets, length })
    }

    /// Writes the copy, with `text` instead of the text of the kernel file.
    pub(crate) fn plant(&mut self, text: &str) -> Result<()> {
        let text = fit(text, self.length)?;
        for &at in &self.offsets {
            self.bytes[at..at + self.length].copy_from_slice(text.as_bytes());
        }
        // A new file, because a process of the last mutant may still be ending.
        let _ = fs::remove_file(&self.copy);
        fs::copy(&self.path, &self.copy)?;
        Ok(fs::write(&self.copy, &self.bytes)?)
    }

    /// Lists all tests, or those that are ignored by default.
    pub(crate) fn tests(&self, ignored: bool) -> Result<BTreeSet<String>> {
        let mut command = Command::new(&self.path);
        command.arg("--list").args(ignored.then_some("--ignored"));
        let text = String::from_utf8(command.output()?.stdout)?;
        let names = text.lines().filter_map(|it| it.strip_suffix(": test"));
        Ok(names.map(str::to_string).collect())
    }

    /// Runs the named tests until one of them fails, and returns its name, or
    /// `crash` or `timeout`.
    ///
    /// The command `timeout` ends the program with all processes that it has
    /// started, even if this tool is killed.
    pub(crate) fn run(
        &self,
        tests: &BTreeSet<String>,
        limit: Duration,
    ) -> Result<Option<String>> {
        // Without names, the program would run all its tests.
        if tests.is_empty() {
            return Ok(None);
        }
        let mut child = Command::new("timeout")
            .args(["--kill-after=5", &limit.as_secs().to_string()])
            .arg(&self.copy)
            .args(["--include-ignored", "--exact"])
            .args(tests)
            .env("RUST_BACKTRACE", "0")
            .env("RUNGRAD_REQUIRE_GPU", "1")
            .env("POCL_CACHE_DIR", self.copy.with_extension("pocl"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`timeout` of GNU coreutils: {error}"))?;
        let stdout = child.stdout.take().expect("it is piped");
        let mut failed = None;
        for line in BufReader::new(stdout).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            let test = line.strip_prefix("test ");
            if let Some(test) = test.and_then(|it| it.strip_suffix("FAILED")) {
                failed = test.split(' ').next().map(str::to_string);
                Command::new("kill").arg(child.id().to_string()).status()?;
                break;
            }
        }
        let status = child.wait()?;
        if failed.is_none() && !status.success() {
            failed = Some(match status.code() {
                Some(124 | 137) => "timeout".to_string(),
                _ => "crash".to_string(),
            });
        }
        Ok(failed)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.copy);
        let _ = fs::remove_dir_all(self.copy.with_extension("pocl"));
    }
}

/// Makes a kernel exactly `length` bytes long: removes indentation, or appends
/// spaces. Neither changes the meaning or a line number.
fn fit(text: &str, length: usize) -> Result<String> {
    let mut text = text.to_string();
    while text.len() > length {
        let indent = text.find("\n ").ok_or("No indentation is left.")?;
        text.remove(indent + 1);
    }
    Ok(format!("{text}{}", " ".repeat(length - text.len())))
}
