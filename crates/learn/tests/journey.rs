//! A learner's first steps in a fresh clone: this types the commands of the
//! README and of the first chapters up to the first exercise, whose check must
//! fail. Then it writes the answer, and the same command must succeed.
//!
//! The clone is a copy of the files that git knows, and shares the target
//! folder. Cargo identifies a package by its path in the workspace and a file
//! by its modification time, so nothing is compiled again.

use std::fs::{self, File};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Returns the target folder that contains the companion under test.
fn target() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_learn")).ancestors().nth(2).unwrap()
}

/// Returns the commands that a page, with the pages that it includes, tells
/// its reader to type.
fn commands(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut commands = Vec::new();
    let mut is_block = false;
    for line in text.lines() {
        let included = line.strip_prefix("{{#include ");
        let included = included.and_then(|it| it.strip_suffix(".md}}"));
        if let Some(name) = included {
            let file = page.parent().unwrap().join(format!("{name}.md"));
            commands.extend(self::commands(&file));
        } else if line.starts_with("```") {
            is_block = line == "```sh";
        } else if is_block {
            commands.push(line.to_string());
        }
    }
    commands
}

/// Returns the README and the chapters, in order.
fn pages(root: &Path) -> Vec<PathBuf> {
    let summary = fs::read_to_string(root.join("book/src/SUMMARY.md")).unwrap();
    let chapters = summary.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("- [")?.split_once("](")?;
        let name = name.trim_end().strip_suffix(')')?;
        (!name.is_empty()).then(|| root.join("book/src").join(name))
    });
    [root.join("README.md")].into_iter().chain(chapters).collect()
}

/// A copy of this checkout. Its path never changes, so cargo can reuse what it
/// has built there.
struct Clone(PathBuf);

impl Clone {
    /// Copies each file that git knows, with its modification time. The error
    /// is the reason why nothing can be copied.
    fn new() -> Result<Clone, String> {
        let mut git = Command::new("git");
        // In a container, the checkout may belong to a different user.
        git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached"]);
        git.args(["--others", "--exclude-standard"]).current_dir(repository());
        let listed = git
            .output()
            .map_err(|it| format!("git cannot be started: {it}"))?;
        if !listed.status.success() {
            return Err("this folder is not a git checkout".to_string());
        }
        let name = target().display().to_string().replace('/', "-");
        let clone =
            Clone(std::env::temp_dir().join(format!("rungrad-journey{name}")));
        let _ = fs::remove_dir_all(&clone.0);
        let listed = String::from_utf8(listed.stdout).unwrap();
        for name in listed.split_terminator('\0') {
            let (from, to) = (repository().join(name), clone.0.join(name));
            // A file that git knows may have been removed.
            let time = fs::metadata(&from).and_then(|it| it.modified());
            let Ok(time) = time else { continue };
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(&from, &to).unwrap();
            let to = File::options().write(true).open(&to).unwrap();
            to.set_modified(time).unwrap();
        }
        Ok(clone)
    }

    /// Runs a command in the clone and returns its exit code and output.
    fn run(&self, line: &str) -> (i32, String) {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&self.0);
        // Variables that cargo set for this test do not apply to the clone.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_ours = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_BIN_EXE_"];
            if is_ours.iter().any(|start| text.starts_with(start)) {
                command.env_remove(&name);
            }
        }
        command.env_remove("CARGO").env_remove("RUNGRAD_EXERCISES");
        command.env("CARGO_TARGET_DIR", target()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("error: "), "{line}: {err}");
        let out = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), out)
    }

    #[track_caller]
    fn run_ok(&self, line: &str) -> String {
        let (code, out) = self.run(line);
        assert_eq!(code, 0, "{line}: {out}");
        out
    }

    /// Runs a check that must fail and name its file, writes the answer there,
    /// and runs it again. The exercise that is solved from the start is first
    /// checked and then broken as its page says. Returns whether there was a
    /// task.
    fn check(&self, line: &str, id: &str) -> bool {
        // It may be solved in this checkout.
        self.run_ok(&format!("cargo learn reset {id} --yes"));
        let (code, out) = self.run(line);
        let is_free = code == 0;
        let file = format!("{id}.rs");
        let file = self.0.join("exercises/part1_cpu").join(file);
        if is_free {
            assert!(out.contains(&format!("solved: {id}")), "{out}");
            let text = fs::read_to_string(&file).unwrap();
            let broken = text.replace("a.mul(b)", "a.add(b)");
            assert_ne!(broken, text, "{id} has nothing to break");
            fs::write(&file, broken).unwrap();
            let (code, out) = self.run(line);
            assert_eq!(code, 1, "{line}: {out}");
            assert!(out.contains("failing: "), "{out}");
        } else {
            assert_eq!(code, 1, "{line}: {out}");
            assert!(out.contains(&format!("TODO({id})")), "{out}");
            assert!(out.contains(&format!("part1_cpu/{id}.rs")), "{out}");
            let hint = self.run_ok(&format!("cargo learn hint {id}"));
            assert!(hint.contains("Hint 1 of 3"), "{hint}");
        }
        // The solution must be requested twice.
        let solution = format!("cargo learn solution {id}");
        self.run_ok(&solution);
        let answer = self.run_ok(&solution);
        fs::write(&file, answer).unwrap();
        let out = self.run_ok(line);
        assert!(out.contains(&format!("solved: {id}")), "{out}");
        !is_free
    }
}

impl Drop for Clone {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Promise: The first pages of the book work in a fresh clone.
#[test]
fn the_first_pages_work_in_a_fresh_clone() {
    let clone = match Clone::new() {
        Ok(clone) => clone,
        Err(why) => {
            let name = "the_first_pages_work_in_a_fresh_clone";
            let _ = writeln!(stderr(), "SKIPPED {name}: {why}");
            return;
        }
    };
    let mut lines = Vec::new();
    let mut solved = 0;
    for page in pages(&clone.0) {
        for line in commands(&page) {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                // This test itself runs under that command.
                ["cargo", "learn", "test"] => {
                    let list = clone.run_ok("cargo learn test --list");
                    assert!(list.contains("  tests "), "{list}");
                }
                ["cargo", "learn", "check", id] => {
                    solved += usize::from(clone.check(&line, id));
                }
                _ => {
                    clone.run_ok(&line);
                }
            }
            lines.push(line);
        }
        if solved > 0 {
            break;
        }
    }
    assert_eq!(lines[..2], ["cargo learn", "cargo learn test"], "{lines:?}");
    assert!(solved > 0, "no check of the book says no: {lines:?}");
    let out = clone.run_ok("cargo learn");
    assert!(out.contains("You have solved "), "{out}");
    assert!(!out.contains("You have solved 0 "), "{out}");
}
