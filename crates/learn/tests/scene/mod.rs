//! A small checkout in a temporary folder, with a search path that contains
//! only the programs that a test puts there. So no test depends on the
//! network, on installed programs or on the user, and none can install
//! anything.

#![allow(dead_code)]

pub(crate) mod stage;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// The program under test.
pub(crate) const PROGRAM: &str = match option_env!("CARGO_BIN_EXE_learn") {
    Some(learn) => learn,
    None => match option_env!("CARGO_BIN_EXE_xtask") {
        Some(xtask) => xtask,
        None => panic!("the package has neither program"),
    },
};

pub(crate) struct Scene {
    pub(crate) root: PathBuf,
}

/// The output of one run of the companion.
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Scene {
    /// Creates a checkout with a loader, a driver, and no tools.
    pub(crate) fn new() -> Scene {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("rungrad-scene-{}-{count}", std::process::id());
        let root = std::env::temp_dir().join(folder);
        let _ = fs::remove_dir_all(&root);
        let scene = Scene { root };
        scene.write("Cargo.toml", "rust-version = \"1.0\"\n");
        scene.write("crates/learn/Cargo.toml", "");
        scene.write("exercises/exercises.toml", "exercise = []\n");
        scene.write("vendors/some.icd", "libsome.so\n");
        scene.write("lib/libOpenCL.so.1", "");
        fs::create_dir_all(scene.root.join("bin")).unwrap();
        let shell = scene.root.join("bin/sh");
        std::os::unix::fs::symlink("/bin/sh", shell).unwrap();
        scene.program("id", "echo 0");
        // A fake compiler that writes a file, and headers for it.
        scene.program(
            "c++",
            "for it; do [ \"$o\" = -o ] && : >$it; o=$it; done",
        );
        scene.write("include/oclgrind/Plugin.h", "");
        scene.write("include/CL/cl.h", "");
        scene
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// Puts a script on the search path as a program. It may use `$SCENE`.
    pub(crate) fn program(&self, name: &str, script: &str) {
        self.program_at(&format!("bin/{name}"), script);
    }

    pub(crate) fn program_at(&self, path: &str, script: &str) {
        let text = format!(
            "#!/bin/sh\nSCENE='{}'\nPATH=/usr/bin:/bin\n{script}\n",
            self.root.display()
        );
        self.write(path, &text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.root.join(path), mode).unwrap();
    }

    /// Returns the companion with these arguments, in this checkout, without a
    /// terminal.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(words)
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("CARGO", self.root.join("bin/cargo"))
            .env("CARGO_MANIFEST_DIR", self.root.join("crates/learn"))
            .env("OCL_ICD_VENDORS", self.root.join("vendors"))
            .env("LD_LIBRARY_PATH", self.root.join("lib"))
            .env("CPLUS_INCLUDE_PATH", self.root.join("include"))
            .current_dir(&self.root)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn learn(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::from(&mut self.command(words))
    }

    /// Runs the companion with these lines on standard input.
    pub(crate) fn learn_with_input(
        &self,
        words: &[&str],
        lines: &str,
    ) -> CommandOutput {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // The companion may end without reading them.
        let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
        CommandOutput::new(child.wait_with_output().unwrap())
    }

    pub(crate) fn xtask(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::from(&mut self.command(words))
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl CommandOutput {
    pub(crate) fn from(command: &mut Command) -> CommandOutput {
        CommandOutput::new(command.output().unwrap())
    }

    fn new(output: Output) -> CommandOutput {
        CommandOutput {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts that the companion failed with this code and one sentence that
    /// contains each of `parts`.
    #[track_caller]
    pub(crate) fn fails_with(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        assert!(
            self.err.starts_with("error: "),
            "expected an error with {parts:?}; found {:?} after:\n{}",
            self.err,
            self.out
        );
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "no {part:?} in {}", self.err);
        }
    }

    /// Asserts success with an empty standard error stream.
    #[track_caller]
    pub(crate) fn succeeds(&self) -> &CommandOutput {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        assert_eq!(self.err, "");
        self
    }

    #[track_caller]
    pub(crate) fn prints(&self, part: &str) -> &CommandOutput {
        assert!(self.out.contains(part), "no {part:?} in {}", self.out);
        self
    }
}

/// Prints that a test is skipped. The harness would capture `eprintln!`.
pub(crate) fn skip(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

/// Waits until the process with this id is gone. Fails after a while instead
/// of waiting forever.
#[track_caller]
pub(crate) fn wait_until_gone(id: &str) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        let state = Command::new("sh")
            .args(["-c", &format!("kill -0 {id} 2>/dev/null")])
            .status()
            .unwrap();
        if !state.success() || is_zombie(id) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("process {id} is still there");
}

/// Waits until a file contains text, and returns the text.
#[track_caller]
pub(crate) fn wait_for_text(path: &Path) -> String {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_string();
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{} never appeared", path.display());
}

/// In a container, an orphan may stay a zombie because no parent reads its
/// exit code.
fn is_zombie(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| {
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        after_name.trim_start().starts_with('Z')
    })
}
