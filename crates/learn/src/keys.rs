//! Keys that are pressed while something is waited for: at once where the
//! terminal can, behind Enter where it had better not be asked, and none where
//! there is no terminal.

use std::env;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::terminal;

pub(crate) struct Keys {
    pressed: Receiver<char>,
    /// Gives the terminal back as it was, when we end. None where it was not
    /// changed, so that a line comes with Enter.
    guard: Option<Child>,
}

impl Keys {
    /// Listens to the terminal, if there is one.
    pub(crate) fn open() -> Option<Keys> {
        if !terminal::can_ask() {
            return None;
        }
        let guard = if is_plain() { None } else { at_once() };
        let (sender, pressed) = mpsc::channel();
        thread::spawn(move || {
            // The standard input is buffered; each key is read when it comes.
            let bytes = io::BufReader::with_capacity(1, io::stdin()).bytes();
            let keys = bytes
                .map_while(Result::ok)
                .map(char::from)
                .filter(|it| !it.is_whitespace());
            keys.map_while(|key| sender.send(key).ok()).for_each(drop);
        });
        Some(Keys { pressed, guard })
    }

    /// Returns a key that has been pressed and was not returned yet.
    pub(crate) fn pressed(&self) -> Option<char> {
        self.pressed.try_recv().ok()
    }

    /// Forgets what was pressed before anybody said what the keys do.
    pub(crate) fn forget(&self) {
        while self.pressed().is_some() {}
    }

    /// Says how a key is given.
    pub(crate) fn how(&self) -> &'static str {
        if self.guard.is_some() { "" } else { ", each with Enter" }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(guard) = &mut self.guard {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }
}

/// Tells whether the terminal is a window of an editor, or nobody's: there a
/// line is a line.
fn is_plain() -> bool {
    let is = |name: &str, value: &str| {
        env::var(name).is_ok_and(|it| it.starts_with(value))
    };
    let is_set = |name: &str| env::var_os(name).is_some();
    let editors = ["INSIDE_EMACS", "NVIM", "VIM_TERMINAL", "ZED_TERM", "CI"];
    is("TERM", "dumb")
        || is("TERM_PROGRAM", "vscode")
        || is("TERMINAL_EMULATOR", "JetBrains")
        || editors.into_iter().any(is_set)
}

/// The guard hears no signal that is meant for us: it waits for the end of a
/// pipe that only we hold open, whatever ends us.
const GUARD: &str = r#"
trap '' INT QUIT HUP TERM TTOU
read -r never
stty "$0" </dev/tty
"#;

/// Lets the terminal hand over each key as it is pressed, without showing it.
/// Ctrl-C is still a signal.
fn at_once() -> Option<Child> {
    let stty = |words: &[&str]| {
        let mut stty = Command::new("stty");
        stty.args(words).stdin(Stdio::inherit()).stderr(Stdio::null());
        let output = stty.output().ok()?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
        output.status.success().then_some(said)
    };
    let before = stty(&["-g"])?;
    let guard = Command::new("sh")
        .args(["-c", GUARD, &before])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut keys = Some(guard);
    if stty(&["-icanon", "-echo", "min", "1", "time", "0"]).is_none() {
        // Dropped, it ends, and puts things as they are.
        let mut guard = keys.take()?;
        drop(guard.stdin.take());
        let _ = guard.wait();
    }
    keys
}
