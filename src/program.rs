//! The common main function of the examples: error messages, exit codes and
//! command-line arguments. Used from "One expression, three engines" on.
//!
//! `--timeline` prints the timeline of the device; `--trace FILE` writes it
//! for <https://ui.perfetto.dev>; `--help` prints the description of the
//! program. A program gets its other arguments from [`args`].
//!
//! Reading order: [`run`], [`run_with_help`], [`args`], [`attempt`].

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs};

use crate::draw;
use crate::error::{Error, RAISED};
#[cfg(feature = "opencl")]
use crate::opencl;
use crate::timeline::Timeline;

/// Runs a program, and shows its timeline if requested. For an error it prints
/// the message and returns the error's exit code. For `--help` it prints the
/// module documentation of the caller's source file.
#[track_caller]
pub fn run(program: impl FnOnce() -> Result<(), Error>) -> ExitCode {
    // The folder where the program was built. If it does not exist on this
    // machine, use the current folder.
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = if built.is_dir() { built } else { Path::new(".") };
    let text = fs::read_to_string(root.join(Location::caller().file()));
    run_with_help(&module_docs(&text.unwrap_or_default()), program)
}

/// Runs a program as [`run`] does, with `help` as the text for `--help`.
pub fn run_with_help(
    help: &str,
    program: impl FnOnce() -> Result<(), Error>,
) -> ExitCode {
    exit_on_broken_pipe();
    match run_with_args(help, program) {
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

/// Makes the program exit silently when the reader closes the pipe, as in
/// `program | head`. By default, `println!` panics then.
fn exit_on_broken_pipe() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or_default();
        if message.starts_with("failed printing to stdout: Broken pipe") {
            process::exit(0);
        }
        usual(info);
    }));
}

/// Returns the command-line arguments, without the program's name and the
/// arguments of [`run`].
pub fn args() -> Vec<String> {
    PARSES_ARGS.store(true, Ordering::Relaxed);
    // `run` has already reported invalid arguments.
    CommonArgs::parse(env::args().skip(1)).map_or(vec![], |args| args.rest)
}

/// Whether the program has called [`args`].
static PARSES_ARGS: AtomicBool = AtomicBool::new(false);

/// Extracts the module documentation at the head of a source file, as plain
/// text.
fn module_docs(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let lines = lines.filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n")
}

fn run_with_args(
    help: &str,
    program: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let args = CommonArgs::parse(env::args().skip(1))?;
    if args.rest.iter().any(|word| word == "--help") {
        println!("{}\n\n{EVERYWHERE}", help.trim());
        return Ok(());
    }
    if !args.wants_timeline() {
        attempt(program)??;
        return args.check_rest();
    }
    opencl::start();
    let result = attempt(program).and_then(|result| result);
    // After an error, the timeline helps to find the cause, unless it is
    // empty.
    let shown = opencl::stop().and_then(|timeline| {
        let nothing = timeline.is_empty() && result.is_err();
        if nothing { Ok(()) } else { args.show(&timeline) }
    });
    result.and(shown).and_then(|()| args.check_rest())
}

/// Without OpenCL, every timeline is empty.
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

/// The arguments that every example takes, and the rest.
#[derive(Debug, Default, PartialEq)]
struct CommonArgs {
    timeline: bool,
    trace: Option<PathBuf>,
    rest: Vec<String>,
}

impl CommonArgs {
    fn parse(words: impl Iterator<Item = String>) -> Result<CommonArgs, Error> {
        let mut args = CommonArgs::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let file = match word.strip_prefix("--trace") {
                _ if word == "--timeline" => {
                    args.timeline = true;
                    continue;
                }
                Some("") => words.next(),
                Some(rest) if rest.starts_with('=') => Some(rest[1..].into()),
                _ => {
                    args.rest.push(word);
                    continue;
                }
            };
            let file =
                file.filter(|name| !name.is_empty() && !name.starts_with("--"));
            args.trace = Some(PathBuf::from(file.ok_or_else(|| {
                Error::Usage(
                    "--trace needs the name of a file, such as --trace \
                     trace.json."
                        .into(),
                )
            })?));
        }
        Ok(args)
    }

    fn wants_timeline(&self) -> bool {
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

    /// Rejects unknown arguments, unless the program parses its own.
    fn check_rest(&self) -> Result<(), Error> {
        if self.rest.is_empty() || PARSES_ARGS.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "this program does not know `{}`; it takes --help, --timeline \
             and --trace FILE.",
            self.rest.join(" ")
        )))
    }
}

thread_local! {
    /// Whether this thread is inside an [`attempt`].
    static ATTEMPTING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` and returns the [`Error`] that it raises, if any. Any other
/// panic continues to unwind.
///
/// This is for programs and tests: it catches panics, and its first call
/// replaces the panic hook of the process.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    install_quiet_hook();
    // Clear an error that was raised earlier and caught by other means.
    RAISED.set(None);
    let outer = ATTEMPTING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    ATTEMPTING.set(outer);
    result.map_err(|payload| match RAISED.take() {
        Some(error) => error,
        None => panic::resume_unwind(payload),
    })
}

/// Replaces the panic hook once, so that an error raised inside an [`attempt`]
/// is not printed: the caller of `attempt` gets it as a value.
fn install_quiet_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let raised = RAISED.with_borrow(Option::is_some);
            if !(raised && ATTEMPTING.get()) {
                usual(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<CommonArgs, Error> {
        CommonArgs::parse(words.iter().map(|word| word.to_string()))
    }

    #[test]
    fn attempt_does_not_catch_other_panics() {
        let raised = panic::catch_unwind(|| {
            crate::error::mistake("an old one".to_string())
        });
        assert!(raised.is_err());
        let other = panic::catch_unwind(|| attempt(|| panic!("another")));
        assert!(other.is_err(), "{other:?}");
    }

    #[test]
    fn common_options_are_removed_from_the_arguments() {
        let words =
            ["1,2", "--trace", "a b.json", "--seeds", "--timeline", "5"];
        let expected = CommonArgs {
            timeline: true,
            trace: Some("a b.json".into()),
            rest: ["1,2", "--seeds", "5"].map(String::from).to_vec(),
        };
        assert_eq!(parse(&words), Ok(expected));
        let joined = parse(&["--trace=x", "y"]).unwrap();
        assert_eq!(joined.trace, Some("x".into()));
        assert_eq!(joined.rest, ["y"]);
        assert!(!parse(&["--tracer"]).unwrap().wants_timeline());
    }

    #[test]
    fn trace_requires_a_file_name() {
        for words in [&["--trace"][..], &["--trace="], &["--trace", "--x"]] {
            let refused = parse(words).unwrap_err();
            assert_eq!(refused.exit_code(), 2);
            assert!(refused.to_string().contains("--trace trace.json"));
        }
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        let refused = parse(&["--timelime"]).unwrap().check_rest();
        let said = refused.unwrap_err().to_string();
        assert!(said.contains("does not know `--timelime`"), "{said}");
    }

    #[test]
    fn module_docs_are_the_help_text() {
        let source = "//! What it is.\n//!\n//! ```sh\n//! cargo run\n//! \
            ```\n//! Its words.\n\nuse std::env; //! no more\n//! nor this";
        assert_eq!(module_docs(source), "What it is.\n\ncargo run\nIts words.");
    }

    #[test]
    fn an_unwritable_trace_gives_one_sentence() {
        let file = std::env::current_exe().unwrap().join("trace.json");
        let args = CommonArgs { trace: Some(file), ..CommonArgs::default() };
        let timeline = Timeline {
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
        let said = args.show(&timeline).unwrap_err().to_string();
        assert!(said.contains(" cannot be written: "), "{said}");
        assert!(said.ends_with("make the folder writable"), "{said}");
    }
}
