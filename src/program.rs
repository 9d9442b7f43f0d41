//! The frame of a program, used from "One expression, three engines" on: what
//! every example does with an error, and with the words that every example
//! takes.
//!
//! `--timeline` prints what ran on a device, and when; `--trace FILE` writes
//! it for <https://ui.perfetto.dev>; `--help` says what a program is for. A
//! program that has words of its own gets them, without these, from [`args`].
//!
//! Reading order: [`run`], [`run_with_help`], [`args`].

use std::panic::{self, Location};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use crate::draw;
use crate::error::{Error, attempt};
#[cfg(feature = "opencl")]
use crate::opencl;
use crate::timeline::Timeline;

/// Runs a program and shows its timeline if it was asked for. For an error it
/// prints one sentence, and exits with the error's code. For `--help` it
/// prints what stands at the head of the program's file.
#[track_caller]
pub fn run(program: impl FnOnce() -> Result<(), Error>) -> ExitCode {
    // Where it was built, or, carried elsewhere, where it is started.
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = if built.is_dir() { built } else { Path::new(".") };
    let text = fs::read_to_string(root.join(Location::caller().file()));
    run_with_help(&head(&text.unwrap_or_default()), program)
}

/// Does what [`run`] does, with a text of the program's own for `--help`.
pub fn run_with_help(
    help: &str,
    program: impl FnOnce() -> Result<(), Error>,
) -> ExitCode {
    end_with_the_reader();
    match framed(help, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Error::Build { log, .. } = &error {
                eprintln!("\n{log}");
            }
            ExitCode::from(error.exit_code())
        }
    }
}

/// Ends the program in silence when nobody reads on: whoever pipes it into
/// `head` has seen enough. `println!` would take the closed pipe for a mistake
/// of the program, and panic.
fn end_with_the_reader() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let said = info.payload_as_str().unwrap_or_default();
        if said.starts_with("failed printing to stdout: Broken pipe") {
            process::exit(0);
        }
        usual(info);
    }));
}

/// Returns the words after the program's name, without those that [`run`]
/// takes.
pub fn args() -> Vec<String> {
    ASKED.store(true, Ordering::Relaxed);
    // What `run` refuses, it has refused before the program asks.
    Frame::of(env::args().skip(1)).map_or(vec![], |frame| frame.rest)
}

/// Whether the program has asked for its words.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Reads the description at the head of a source, as plain text.
fn head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let lines = lines.filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n")
}

fn framed(
    help: &str,
    program: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let frame = Frame::of(env::args().skip(1))?;
    if frame.rest.iter().any(|word| word == "--help") {
        println!("{}\n\n{EVERYWHERE}", help.trim());
        return Ok(());
    }
    if !frame.shows() {
        attempt(program)??;
        return frame.check_rest();
    }
    opencl::start();
    let result = attempt(program).and_then(|result| result);
    // What led to an error is worth seeing; if it was nothing, the error says
    // all.
    let shown = opencl::stop().and_then(|timeline| {
        let nothing = timeline.is_empty() && result.is_err();
        if nothing { Ok(()) } else { frame.show(&timeline) }
    });
    result.and(shown).and_then(|()| frame.check_rest())
}

/// Without OpenCL nothing reaches a device, and every timeline is empty.
#[cfg(not(feature = "opencl"))]
mod opencl {
    use crate::{Error, timeline::Timeline};

    pub(super) fn start() {}

    pub(super) fn stop() -> Result<Timeline, Error> {
        Ok(Timeline::default())
    }
}

const EVERYWHERE: &str = "\
Every example takes these as well:

  --timeline    print what ran on a device, and when
  --trace FILE  write the same for https://ui.perfetto.dev";

/// The words that every example takes, and the rest.
#[derive(Debug, Default, PartialEq)]
struct Frame {
    timeline: bool,
    trace: Option<PathBuf>,
    rest: Vec<String>,
}

impl Frame {
    fn of(words: impl Iterator<Item = String>) -> Result<Frame, Error> {
        let mut frame = Frame::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let file = match word.strip_prefix("--trace") {
                _ if word == "--timeline" => {
                    frame.timeline = true;
                    continue;
                }
                Some("") => words.next(),
                Some(rest) if rest.starts_with('=') => Some(rest[1..].into()),
                _ => {
                    frame.rest.push(word);
                    continue;
                }
            };
            let file =
                file.filter(|it| !it.is_empty() && !it.starts_with("--"));
            frame.trace = Some(PathBuf::from(file.ok_or_else(|| {
                Error::Usage(
                    "--trace needs the name of a file, such as --trace \
                     trace.json."
                        .into(),
                )
            })?));
        }
        Ok(frame)
    }

    fn shows(&self) -> bool {
        self.timeline || self.trace.is_some()
    }

    fn show(&self, timeline: &Timeline) -> Result<(), Error> {
        if timeline.is_empty() {
            eprintln!(
                "Nothing ran on an OpenCL device, so there is no timeline."
            );
            return Ok(());
        }
        if self.timeline {
            print!("\n{}", timeline.text());
        }
        let Some(path) = &self.trace else { return Ok(()) };
        draw::save(path, timeline.perfetto().as_bytes())?;
        println!(
            "\n{} is a trace: open it at https://ui.perfetto.dev",
            path.display()
        );
        Ok(())
    }

    /// Refuses words that nobody asked for. A program that asks for its words
    /// has judged them itself.
    fn check_rest(&self) -> Result<(), Error> {
        if self.rest.is_empty() || ASKED.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "this program does not know `{}`; it takes --help, --timeline \
             and --trace FILE.",
            self.rest.join(" ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(words: &[&str]) -> Result<Frame, Error> {
        Frame::of(words.iter().map(|word| word.to_string()))
    }

    #[test]
    fn the_program_sees_its_own_words_only() {
        let words =
            ["1,2", "--trace", "a b.json", "--seeds", "--timeline", "5"];
        let expected = Frame {
            timeline: true,
            trace: Some("a b.json".into()),
            rest: ["1,2", "--seeds", "5"].map(String::from).to_vec(),
        };
        assert_eq!(frame(&words), Ok(expected));
        let glued = frame(&["--trace=x", "y"]).unwrap();
        assert_eq!(glued.trace, Some("x".into()));
        assert_eq!(glued.rest, ["y"]);
        assert!(!frame(&["--tracer"]).unwrap().shows());
    }

    #[test]
    fn a_trace_without_a_file_is_refused() {
        for words in [&["--trace"][..], &["--trace="], &["--trace", "--x"]] {
            let refused = frame(words).unwrap_err();
            assert_eq!(refused.exit_code(), 2);
            assert!(refused.to_string().contains("--trace trace.json"));
        }
    }

    #[test]
    fn words_that_nobody_reads_are_refused() {
        let refused = frame(&["--timelime"]).unwrap().check_rest();
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("does not know `--timelime`"), "{said}");
    }

    #[test]
    fn the_head_of_a_program_is_its_help() {
        let source = "//! What it is.\n//!\n//! ```sh\n//! cargo run\n//! \
            ```\n//! Its words.\n\nuse std::env; //! no more\n//! nor this";
        assert_eq!(head(source), "What it is.\n\ncargo run\nIts words.");
    }

    #[test]
    fn a_trace_that_cannot_be_written_is_one_sentence() {
        let file = std::env::current_exe().unwrap().join("trace.json");
        let frame = Frame { trace: Some(file), ..Frame::default() };
        let some = Timeline {
            devices: vec![],
            slices: vec![crate::timeline::Slice {
                kind: crate::timeline::SliceKind::Finish,
                name: "finish".into(),
                amount: String::new(),
                bytes: 0,
                device: 0,
                thread: 0,
                part: None,
                holds: None,
                call: [0, 1],
                times: None,
            }],
        };
        let said = frame.show(&some).unwrap_err().to_string();
        assert!(said.starts_with("cannot write "), "{said}");
        assert!(said.ends_with("or the folder writable"), "{said}");
    }
}
