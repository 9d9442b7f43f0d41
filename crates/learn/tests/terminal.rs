//! The companion on a terminal: keys, colors, and lines that fit. The program
//! `script` provides the terminal.

#![cfg(target_os = "linux")]

mod scene;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use std::{mem, thread};

use scene::stage::{ONE, SOLVED, WRONG, stage};
use scene::{Scene, skip};

const SCRIPT: &str = "/usr/bin/script";

/// A command that runs on its own terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    said: Receiver<String>,
    /// Output that was read after the expected words.
    rest: String,
}

impl Terminal {
    /// Runs a shell command line in which `learn` is the companion.
    fn new(scene: &Scene, line: &str, env: &[(&str, &str)]) -> Terminal {
        for name in ["stty", "sleep"] {
            let place = scene.root.join("bin").join(name);
            let _ = std::os::unix::fs::symlink(
                Path::new("/usr/bin").join(name),
                place,
            );
        }
        let plain = scene.command(&[]);
        let learn = format!("'{}'", env!("CARGO_BIN_EXE_learn"));
        let line = line.replace("learn", &learn);
        // A shell makes its background processes ignore Ctrl-C, and the
        // companion would inherit that.
        let mut command = Command::new("/usr/bin/env");
        command.args(["--default-signal=INT", SCRIPT]);
        command.args(["-qec", &line, "/dev/null"]).env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap());
        }
        let mut child = command
            .env("TERM", "xterm")
            .envs(env.iter().copied())
            .current_dir(&scene.root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = child.stdin.take().unwrap();
        let mut out = child.stdout.take().unwrap();
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]);
                let _ = sender.send(text.into_owned());
            }
        });
        Terminal { child, keys, said, rest: String::new() }
    }

    /// Reads up to these words and returns what comes before them.
    #[track_caller]
    fn read_until(&mut self, words: &str) -> String {
        let mut said = mem::take(&mut self.rest);
        loop {
            if let Some((before, behind)) = said.split_once(words) {
                self.rest = behind.to_string();
                return before.to_string();
            }
            match self.said.recv_timeout(Duration::from_secs(60)) {
                Ok(text) => said += &text,
                Err(_) => panic!("no {words:?} in: {said}"),
            }
        }
    }

    /// Reads to the end.
    #[track_caller]
    fn read_to_end(mut self) -> String {
        let mut said = mem::take(&mut self.rest);
        loop {
            match self.said.recv_timeout(Duration::from_secs(60)) {
                Ok(text) => said += &text,
                Err(RecvTimeoutError::Disconnected) => return said,
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("it does not end, and said: {said}");
                }
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a checkout, or prints why this machine cannot provide a terminal.
fn stage_or_skip(test: &str) -> Option<Scene> {
    if Path::new(SCRIPT).is_file() {
        return Some(stage());
    }
    skip(test, "no /usr/bin/script, which makes a terminal");
    None
}

/// Promise: In `cargo learn watch`, one key shows a hint and a different key
/// moves on. In the terminal of an editor, each needs Enter.
#[test]
fn one_key_shows_a_hint_and_a_different_key_moves_on() {
    let name = "one_key_shows_a_hint_and_a_different_key_moves_on";
    let Some(scene) = stage_or_skip(name) else { return };
    let mut terminal = Terminal::new(&scene, "learn watch", &[]);
    terminal.read_until("Keys: n = next exercise, h = hint");
    terminal.press("h");
    terminal.read_until("Hint 1 of 3 for one");
    terminal.read_until("? = help");
    terminal.press("h");
    terminal.read_until("Hint 2 of 3 for one");
    terminal.read_until("? = help");
    terminal.press("xn");
    terminal.read_until("The key x does nothing; ? shows what the keys do");
    terminal.read_until("Watching exercises/part2_gpu/two.cl");
    terminal.read_until("? = help");
    terminal.press("n");
    terminal.read_until("No other exercise can be checked now");

    let env = [("TERM_PROGRAM", "vscode")];
    let mut terminal = Terminal::new(&scene, "learn watch two", &env);
    terminal.read_until("(press Enter after the key)");
    terminal.press("h\n");
    terminal.read_until("Hint 1 of 3 for two");
}

/// Promise: `cargo learn watch` has a key for the check, the list, the
/// solution, a question, the help and the end.
#[test]
fn every_key_of_the_watch_does_what_the_help_says() {
    let name = "every_key_of_the_watch_does_what_the_help_says";
    let Some(scene) = stage_or_skip(name) else { return };
    let question = "[[prediction]]\nid = 'twice'\nchapter = 'a-chapter.md'\n\
                    listing = 'one.out'\nline = 'b'\nnumber = 1\nquestion = \
                    'How many?'\nwhy = 'So it is.'\nwrong = []\n";
    scene.write("exercises/predictions.toml", question);
    scene.write("book/listings/one.out", "$ cargo run\nb 18\n");
    let mut terminal = Terminal::new(&scene, "learn watch one", &[]);
    terminal.read_until("? = help");
    terminal.press("s");
    terminal.read_until("The solution is shown once yours passes");
    terminal.press("r");
    terminal.read_until("TODO(one)");
    terminal.read_until("? = help");
    terminal.press("l");
    terminal.read_until("0 of 2 solved");
    terminal.read_until("? = help");
    terminal.press("?");
    terminal.read_until("run the check again");
    terminal.read_until("p = predict");
    terminal.read_until("? = help");
    terminal.press("p");
    terminal.read_until("How many?");
    terminal.press("x1\x7f\x7f19\n");
    terminal.read_until("You said 19; the program prints 18.");
    terminal.read_until("? = help");
    terminal.press("\x1b[Ap");
    terminal.read_until("This chapter has no open question.");
    scene.write(ONE, SOLVED);
    terminal.read_until("s = solution");
    terminal.read_until("? = help");
    terminal.press("s");
    let said = terminal.read_until("? = help");
    assert!(said.contains(SOLVED.trim()), "{said}");
    terminal.press("q");
    let said = terminal.read_to_end();
    assert!(!said.contains("Watching"), "{said}");
}

/// A long verdict scrolls its first lines away, so its word comes again below.
///
/// Promise: `cargo learn watch` clears a terminal before each check, and shows
/// a solved exercise until a key moves on.
#[test]
fn the_watch_clears_the_screen_and_repeats_the_verdict() {
    let name = "the_watch_clears_the_screen_and_repeats_the_verdict";
    let Some(scene) = stage_or_skip(name) else { return };
    scene.write(ONE, WRONG);
    let mut terminal = Terminal::new(&scene, "learn watch", &[]);
    terminal.read_until("\x1b[2J\x1b[HWatching");
    terminal.read_until("are swapped");
    terminal.read_until("\x1b[1;31mfailing:\x1b[0m one\r\nChecking");
    terminal.read_until("? = help");
    scene.write(ONE, SOLVED);
    terminal.read_until("\x1b[2J\x1b[HWatching exercises/part1_cpu/one.rs");
    terminal.read_until("1 of 2 solved");
    terminal.read_until("\x1b[1;32msolved:\x1b[0m one\r\nChecking");
    let said = terminal.read_until("? = help");
    assert!(!said.contains("cargo learn hint"), "{said}");
    terminal.press("n");
    terminal.read_until("\x1b[2J\x1b[HWatching exercises/part2_gpu/two.cl");
}

/// Afterwards the terminal shows what is typed and delivers whole lines.
///
/// Promise: `cargo learn watch` restores the terminal however it ends.
#[test]
fn the_terminal_is_restored() {
    let name = "the_terminal_is_restored";
    let Some(scene) = stage_or_skip(name) else { return };
    for (ends, key) in [
        ("trap : INT; learn watch", "\x03"),
        ("learn watch", "nn"),
        ("learn watch", "q"),
    ] {
        let line = format!("{ends}; sleep 1; stty -a");
        let mut terminal = Terminal::new(&scene, &line, &[]);
        for key in key.chars() {
            terminal.read_until("? = help");
            terminal.press(&key.to_string());
        }
        let said = terminal.read_to_end();
        let has = |word: &str| said.split_whitespace().any(|it| it == word);
        assert!(has("icanon") && has("echo"), "{said}");
    }
}

/// Promise: A verdict has a color unless `NO_COLOR` or a pipe forbids it.
#[test]
fn a_verdict_is_colored_unless_disabled() {
    let name = "a_verdict_is_colored_unless_disabled";
    let Some(scene) = stage_or_skip(name) else { return };
    let said = |env: &[(&str, &str)]| {
        Terminal::new(&scene, "learn check one", env).read_to_end()
    };
    scene.write(ONE, WRONG);
    let red = "\x1b[1;31mfailing:\x1b[0m the operands";
    assert!(said(&[]).contains(red), "{:?}", said(&[]));
    for env in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let said = said(&[env]);
        assert!(said.contains("failing: the operands"), "{said:?}");
        assert!(!said.contains("\x1b[1;"), "{said:?}");
    }
    scene.write(ONE, SOLVED.replace("solved", "solved: one").as_str());
    assert!(said(&[]).contains("\x1b[1;32msolved:\x1b[0m one"));
}

/// Removes colors and other escape sequences.
fn without_escapes(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| {
        let end = piece.find(|it: char| it.is_ascii_alphabetic());
        text + &piece[end.map_or(piece.len(), |at| at + 1)..]
    })
}

/// Promise: The lines of a verdict and of the list fit the terminal.
#[test]
fn lines_fit_the_terminal() {
    let name = "lines_fit_the_terminal";
    let Some(scene) = stage_or_skip(name) else { return };
    // The check receives the width of the terminal.
    scene.write(ONE, "echo \"room for $COLUMNS\"\nexit 1\n");
    let line = "stty cols 34; learn hint one; learn check one; learn list";
    let said = Terminal::new(&scene, line, &[]).read_to_end();
    assert!(said.contains("room for 34"), "{said}");
    let said = Terminal::new(&scene, "learn check one", &[("COLUMNS", "50")]);
    assert!(said.read_to_end().contains("room for 50"));
    let long = "a word and another ".repeat(20);
    let table = scene.read("exercises/exercises.toml");
    let table = table.replace("a nudge", &long);
    scene.write("exercises/exercises.toml", &table);
    let line = "stty cols 34; learn hint one --number 1";
    let said = Terminal::new(&scene, line, &[]).read_to_end();
    let lines = said.lines().filter(|line| line.contains("another"));
    let lines: Vec<&str> = lines.map(str::trim_end).collect();
    assert!(lines.len() > 5 && lines.iter().all(|it| it.len() <= 34), "{said}");
    // The list shows every title as a whole.
    for (columns, heads) in [(60, "title"), (80, "ch  stars  min")] {
        let line = format!("stty cols {columns}; learn list; learn watch");
        let mut terminal = Terminal::new(&scene, &line, &[]);
        let said = terminal.read_until("? = help");
        assert!(said.contains(heads) && said.contains("The second"), "{said}");
        for line in said.lines() {
            let line = without_escapes(line.rsplit("\x1b[K").next().unwrap());
            assert!(line.trim_end().len() <= columns, "{line}");
        }
    }
}
