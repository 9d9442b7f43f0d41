//! `cargo learn run`: the examples, grouped by part.

use std::path::{Path, PathBuf};
use std::process::Command as Child;
use std::{env, fs};

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::exercises::engine;
use crate::nearest::suggestion;
use crate::process;
use crate::terminal::{self, say};

pub(crate) const COMMAND: Command = Command {
    name: "run",
    usage: "[PART or EXAMPLE] [--device cpu|gpu|gpu:N|NAME] [--timeline] \
            [--trace FILE] [--show] [-- ARGUMENTS]",
    summary: "list the examples, or run one, or a whole part",
    page: "\
Without a name it lists the examples. With a part (part1, part2 or part3) it
runs the examples of that part in the order of the list. With an example it runs
that one and passes on the arguments after --.

--device sets RUNGRAD_DEVICE for the examples that can choose: cpu, gpu (the
first OpenCL device) or gpu:1, numbered as in `cargo learn doctor`. An example
that registers a custom device with Device::register also accepts its name:
cargo learn run part3_spiral --device counting.

my_engine trains on the digits with your own engine and with Part 1, and prints
the accuracy and the time of both, and what your engine still lacks. my_device
trains on your own device and on the processor, and prints which functions of
the device were called and which of them you wrote. my_kernels trains with your
own kernels and with those of Part 2.

--timeline prints what the example ran on a device, and when: one line for each
copy and each kernel. --trace FILE writes the same, for one example, to a file
that opens at https://ui.perfetto.dev.

--show is passed to the example: part3_fused prints each kernel that it wrote.",
    run,
};

const PARTS: &[(&str, &str)] = &[
    ("part1", "arrays on the CPU"),
    ("part2", "raw OpenCL"),
    ("part3", "one tensor for every device"),
];

/// A program in `examples/` and the first sentence of its description.
struct Example {
    name: String,
    summary: String,
    /// Whether it passes its `main` to the crate, which can record a timeline.
    accepts_trace: bool,
    /// Whether it registers a custom device, which is then selected by name.
    has_custom_device: bool,
}

impl Example {
    /// Returns the part that the example's name begins with.
    fn part(&self) -> Option<&'static str> {
        let is_of = |(part, _): &&(&str, &str)| {
            self.name.strip_prefix(part).is_some_and(|it| it.starts_with('_'))
        };
        PARTS.iter().find(is_of).map(|(part, _)| *part)
    }
}

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let device = args.option("--device")?;
    let mut frame = vec![];
    if args.flag("--timeline") {
        frame.push("--timeline".to_string());
    }
    let trace = args.option("--trace")?;
    if let Some(file) = &trace {
        frame.extend(["--trace".to_string(), file.clone()]);
    }
    let show = args.flag("--show");
    let (names, mut passed_on) = args.rest(1)?;
    passed_on.extend(show.then(|| "--show".to_string()));
    let examples = examples(&checkout.root.join("examples"))?;
    let Some(name) = names.first() else {
        device.map_or(Ok(()), |it| check_device(&it, &[]))?;
        list(&examples);
        return Ok(());
    };
    if let Some(exercise) = engine::find(checkout, name) {
        let has_options = device.is_some() || !frame.is_empty() || show;
        return match has_options {
            true => Err(Stop::Usage(format!(
                "`cargo learn run {name}` takes no options: it trains on the \
                 devices that it compares"
            ))),
            false => engine::train(checkout, &exercise),
        };
    }
    let chosen: Vec<&Example> = examples
        .iter()
        .filter(|it| it.name == *name || it.part() == Some(name))
        .collect();
    if chosen.is_empty() {
        return Err(unknown(name, &examples));
    }
    if let Some(device) = &device {
        check_device(device, &chosen)?;
    }
    if chosen.len() > 1 && trace.is_some() {
        return Err(Stop::Usage(format!(
            "--trace is for one example, and {name} has {}: name one of them",
            chosen.len()
        )));
    }
    // If an example fails, the others of its part still run.
    let mut failed = vec![];
    for example in &chosen {
        if chosen.len() > 1 {
            say!("--- {}: {}", example.name, example.summary);
        }
        let mut words = passed_on.clone();
        if example.accepts_trace {
            words.extend_from_slice(&frame);
        }
        let program = Program::Example(&example.name);
        match program.run(checkout, device.as_deref(), &words) {
            Err(Stop::Said(_)) if chosen.len() > 1 => {
                failed.push(example.name.as_str());
            }
            done => done?,
        }
        if !example.accepts_trace && !frame.is_empty() {
            let name = &example.name;
            say!("{name} uses no device of this crate and has no timeline");
        }
        if chosen.len() > 1 {
            say!();
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Stop::Failed(format!(
            "{} of {} examples failed: {}",
            failed.len(),
            chosen.len(),
            failed.join(", ")
        ))),
    }
}

/// A program that cargo builds and runs for us.
#[derive(Clone, Copy)]
pub(crate) enum Program<'a> {
    Example(&'a str),
    /// A program of `crates/tools/`, a package that does not depend on any
    /// test package.
    Tool(&'a str),
    /// A tool that needs only Part 1, built as soon as possible in a fresh
    /// clone: with few dependencies and without optimization.
    Light(&'a str),
    /// A tool that prints times, built with optimization.
    Stopwatch(&'a str),
    /// An example of `crates/cluster/`, built with optimization.
    Cluster {
        name: &'a str,
        uses_mpi: bool,
    },
}

/// The arguments of cargo for `Program::Light`. Only `rungrad` itself is built
/// differently, so its dependencies are shared with every later build.
pub const LIGHT_CONFIG: &[&str] = &[
    "--config=profile.dev.package.rungrad.opt-level=0",
    "--config=profile.dev.package.rungrad.debug=false",
];

impl Program<'_> {
    /// Returns the command `cargo VERB` for this program.
    pub(crate) fn cargo(&self, checkout: &Checkout, verb: &[&str]) -> Child {
        let mut command = checkout.cargo(verb);
        match self {
            Program::Example(name) => command.args(["--example", name]),
            Program::Tool(name) => {
                command.args(["--package", "tools", "--bin", name])
            }
            Program::Light(name) => command
                .args(["--package", "tools", "--bin", name])
                .arg("--no-default-features")
                .args(LIGHT_CONFIG),
            Program::Stopwatch(name) => {
                command.args(["--release", "--package", "tools", "--bin", name])
            }
            Program::Cluster { name, uses_mpi } => {
                let mpi: &[&str] = match uses_mpi {
                    true => &["--features", "mpi"],
                    false => &[],
                };
                command.args(["--release", "--package", "cluster"]);
                command.args(["--example", name]).args(mpi)
            }
        };
        command
    }

    /// Builds the program and shows a status line.
    pub(crate) fn build(&self, checkout: &Checkout) -> Result<(), Stop> {
        let (kind, name) = match self {
            Program::Example(name) | Program::Cluster { name, .. } => {
                ("example", name)
            }
            Program::Tool(name)
            | Program::Light(name)
            | Program::Stopwatch(name) => ("tool", name),
        };
        let what = format!("compiling the {kind} {name}");
        let log = checkout.log(&format!("{kind}-{name}"))?;
        let mut command = self.cargo(checkout, &["build"]);
        process::run_or_fail(checkout, &what, &mut command, &log)
    }

    /// Builds the program and runs it in the foreground, in the learner's
    /// current folder, so that relative file names work.
    pub(crate) fn run(
        &self,
        checkout: &Checkout,
        device: Option<&str>,
        words: &[String],
    ) -> Result<(), Stop> {
        self.build(checkout)?;
        let manifest = checkout.root.join("Cargo.toml");
        let mut command = self.cargo(checkout, &["run", "--quiet"]);
        command.arg("--manifest-path").arg(manifest).arg("--").args(words);
        command.env_remove("CARGO_TERM_COLOR");
        if let Ok(folder) = env::current_dir() {
            command.current_dir(folder);
        }
        if let Some(columns) = terminal::columns() {
            command.env("COLUMNS", columns.to_string());
        }
        if let Some(device) = device {
            command.env("RUNGRAD_DEVICE", device);
        }
        process::run_in_foreground(&mut command)
    }
}

/// Returns all examples, sorted by part and then by name.
fn examples(folder: &Path) -> Result<Vec<Example>, Stop> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Stop::Failed(format!("cannot read {}: {error}", folder.display()))
    })?;
    let mut examples: Vec<Example> = entries
        .flatten()
        .filter_map(|entry| source(&entry.path()))
        .map(|(name, file)| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let summary = first_sentence(&text);
            let accepts_trace = text.contains("rungrad::run");
            let has_custom_device = text.contains("Device::register(");
            Example { name, summary, accepts_trace, has_custom_device }
        })
        .collect();
    examples.sort_by(|a, b| {
        let key = |it: &Example| (it.part().unwrap_or("zz"), it.name.clone());
        key(a).cmp(&key(b))
    });
    Ok(examples)
}

/// Returns the names of the examples in a folder, sorted.
pub(crate) fn example_names(folder: &Path) -> Result<Vec<String>, Stop> {
    let examples = examples(folder)?.into_iter().map(|it| it.name);
    Ok(examples.collect())
}

/// Returns the name of the example at `path`, and its main file.
fn source(path: &Path) -> Option<(String, PathBuf)> {
    let name = path.file_stem()?.to_str()?.to_string();
    if path.extension().is_some_and(|extension| extension == "rs") {
        return Some((name, path.to_path_buf()));
    }
    let main = path.join("main.rs");
    main.is_file().then_some((name, main))
}

/// Returns the first sentence of the comment at the top of a program.
fn first_sentence(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let text = lines.collect::<Vec<_>>().join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].trim().to_string()
}

fn list(examples: &[Example]) {
    let others = Some(&("", "others"));
    for (part, title) in PARTS.iter().chain(others) {
        let of_part: Vec<&Example> = examples
            .iter()
            .filter(|it| it.part().unwrap_or_default() == *part)
            .collect();
        if of_part.is_empty() {
            continue;
        }
        say!("{}", format!("{part} {title}").trim_start());
        let width = of_part.iter().map(|it| it.name.len()).max().unwrap_or(0);
        for Example { name, summary, .. } in of_part {
            say!("  {name:<width$}  {summary}");
        }
        say!();
    }
    say!("Run one: cargo learn run NAME; a whole part: cargo learn run part1;");
    say!("your own engine: cargo learn run my_engine, my_device, my_kernels");
}

fn unknown(name: &str, examples: &[Example]) -> Stop {
    let parts = PARTS.iter().map(|(part, _)| *part);
    let names: Vec<&str> =
        parts.chain(examples.iter().map(|it| it.name.as_str())).collect();
    Stop::Usage(format!(
        "there is no part or example {name:?}{}; `cargo learn run` lists all",
        suggestion(name, &names)
    ))
}

/// Checks the name of a device by the rules of `rungrad`. Only the example can
/// tell whether a device of the machine, or a custom device, exists.
fn check_device(device: &str, examples: &[&Example]) -> Result<(), Stop> {
    let mut prefixes = ["gpu:", "fused:", "plain:"].into_iter();
    let number = prefixes.find_map(|prefix| device.strip_prefix(prefix));
    let counted = number.is_some_and(|it| {
        !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit())
    });
    let known = ["cpu", "gpu", "fused", "fused:cpu", "plain", "plain:cpu"];
    if counted || known.contains(&device) {
        let is_part1 = |it: &&Example| it.part() == Some("part1");
        let first = examples.first().filter(|_| device != "cpu");
        return match first.filter(|_| examples.iter().all(is_part1)) {
            Some(Example { name, .. }) => Err(Stop::Usage(format!(
                "{name} cannot use --device {device}: the examples of part1 \
                 always run on the CPU"
            ))),
            None => Ok(()),
        };
    }
    let may_be_own = !device.is_empty() && number.is_none();
    match examples.iter().find(|it| !it.has_custom_device) {
        None if may_be_own && !examples.is_empty() => Ok(()),
        Some(Example { name, .. }) if may_be_own => Err(Stop::Usage(format!(
            "{name} has no device {device:?}: use cpu, gpu or gpu:1, which \
             `cargo learn doctor` lists; a custom device exists only in the \
             program that calls Device::register"
        ))),
        _ => Err(Stop::Usage(format!(
            "there is no device {device:?}: use cpu, gpu or gpu:1; \
             `cargo learn doctor` lists the devices"
        ))),
    }
}
