//! Reads single keys while the companion waits. A key arrives immediately if
//! the terminal mode can be changed, and after Enter otherwise. Keys need a
//! terminal.

use std::env;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use crate::terminal;

pub(crate) struct Keys {
    pressed: Receiver<char>,
    /// Restores the terminal's mode when the process ends. `None` if the mode
    /// was not changed; then keys arrive after Enter.
    guard: Option<Child>,
}

impl Keys {
    /// Starts reading from the terminal, if there is one.
    pub(crate) fn open() -> Option<Keys> {
        if !terminal::can_ask() {
            return None;
        }
        let guard = if is_line_based() { None } else { enter_key_mode() };
        let (sender, pressed) = mpsc::channel();
        thread::spawn(move || {
            // Standard input is buffered by default; read each key when it
            // arrives.
            let bytes = io::BufReader::with_capacity(1, io::stdin()).bytes();
            let keys = bytes.map_while(Result::ok).map(char::from);
            keys.map_while(|key| sender.send(key).ok()).for_each(drop);
        });
        Some(Keys { pressed, guard })
    }

    /// Returns the next key that was pressed, without waiting. The escape
    /// sequence of an arrow key and the like is discarded.
    pub(crate) fn pressed(&self) -> Option<char> {
        loop {
            match self.pressed.try_recv().ok()? {
                ESCAPE => self.discard_sequence(),
                key if key.is_ascii_graphic() => return Some(key),
                _ => {}
            }
        }
    }

    /// Discards the rest of an escape sequence, such as `[A` of an arrow key.
    fn discard_sequence(&self) {
        let is_inside = |key: char| !(key.is_ascii_alphabetic() || key == '~');
        while self.pressed.try_recv().is_ok_and(|it| it == 'O' || is_inside(it))
        {
        }
    }

    /// Discards keys that were pressed before the instructions were printed.
    pub(crate) fn discard(&self) {
        while self.pressed.try_recv().is_ok() {}
    }

    /// Returns the words to append to instructions if keys need Enter.
    pub(crate) fn enter_hint(&self) -> &'static str {
        if self.guard.is_some() { "" } else { " (press Enter after the key)" }
    }

    /// Reads a line that is not empty. Returns `None` after the key Escape.
    pub(crate) fn read_line(&self) -> Option<String> {
        let echo = |text: &str| {
            if self.guard.is_some() {
                terminal::write_out(text);
            }
        };
        let mut line = String::new();
        loop {
            match self.pressed.recv().ok()? {
                ESCAPE => {
                    self.discard();
                    echo("\n");
                    return None;
                }
                '\r' | '\n' if line.is_empty() => {}
                '\r' | '\n' => {
                    echo("\n");
                    return Some(line);
                }
                BACKSPACE | DELETE => {
                    if line.pop().is_some() {
                        echo("\x08 \x08");
                    }
                }
                key if key.is_control() => {}
                key => {
                    line.push(key);
                    echo(&key.to_string());
                }
            }
        }
    }
}

const ESCAPE: char = '\x1b';
const BACKSPACE: char = '\x08';
const DELETE: char = '\x7f';

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(guard) = &mut self.guard {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }
}

/// Returns whether to leave the terminal in line mode, as in the terminal of
/// an editor or in CI.
fn is_line_based() -> bool {
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

/// Restores the terminal when our end of its pipe closes, however our process
/// ends. It ignores the signals that are meant for us.
const GUARD: &str = r#"
trap '' INT QUIT HUP TERM TTOU
read -r never
stty "$0" </dev/tty
"#;

/// Switches the terminal to reading single keys without echo. Ctrl-C still
/// sends a signal.
fn enter_key_mode() -> Option<Child> {
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
        // `stty` failed: end the guard, which restores the mode.
        let mut guard = keys.take()?;
        drop(guard.stdin.take());
        let _ = guard.wait();
    }
    keys
}
