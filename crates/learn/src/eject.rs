//! `cargo learn eject`: turns the learner's engine, device or kernels into a
//! standalone crate.

use std::fs;
use std::path::Path;
use std::process;

use crate::checkout::{Checkout, cannot_save};
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::{levels, status};
use crate::progress::Progress;
use crate::terminal::{say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "eject",
    usage: "EXERCISE FOLDER [--license LICENSE] [--git ADDRESS]",
    summary: "your engine, device or kernels as a standalone crate",
    page: "\
Writes a crate to FOLDER, which must be new or empty. The crate contains your
file, tests of the laws of the levels that pass, a README, license texts, and a
workflow that runs the tests on GitHub. Your file in this checkout does not
change.

The crate of my_engine has no dependencies. The tests of my_device and
my_kernels need Rungrad. Cargo gets it with git, at the commit that is checked
out here, from `origin` of this checkout or from the address after --git. These
two can be ejected only when all levels pass.

LICENSE is MIT, Apache-2.0 or \"MIT OR Apache-2.0\", which is the default.",
    run,
};

/// The differences between the crates.
struct Kind {
    id: &'static str,
    about: &'static str,
    contents: &'static str,
    keywords: &'static str,
    /// The description of `tests/laws.rs` in the README.
    laws: &'static str,
    /// The programs that the workflow installs.
    setup: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        id: "my_engine",
        about: "An automatic-differentiation engine, written from scratch.",
        contents: "`src/lib.rs` is the engine: tensors that record how they \
                   were computed, and compute gradients.\n",
        keywords: r#""autograd", "tensor", "neural-network""#,
        laws: "The tests need only the engine and the standard library.",
        setup: "",
    },
    Kind {
        id: "my_device",
        about: "A device for Rungrad, written from scratch.",
        contents: "`src/lib.rs` implements `Backend` for the device `MINE`. \
                   Register it with `Device::register(&MINE)`.\n",
        keywords: r#""autograd", "backend", "rungrad""#,
        laws: "They come from Rungrad, which runs its own tests on the \
               device.",
        setup: POCL,
    },
    Kind {
        id: "my_kernels",
        about: "OpenCL kernels for a neural network, written from scratch.",
        contents: "`src/my_kernels.cl` has the kernels, and the constant \
                   `SOURCE` in `src/lib.rs` has the text of that file.\n",
        keywords: r#""opencl", "gpu", "neural-network""#,
        laws: "They come from Rungrad, which launches the kernels on an \
               OpenCL device and, if it is installed, under Oclgrind.",
        setup: POCL,
    },
];

/// The first level at which the example in the README runs.
const EXAMPLE_LEVEL: usize = 4;

const EXAMPLE: &str = "
```rust
use @LIBRARY@::Tensor;

let a = Tensor::new(&[2], &[2.0, 3.0]);
let b = Tensor::new(&[2], &[3.0, 4.0]);
a.mul(&b).mul(&b).sum().backward();
assert_eq!(a.grad().unwrap(), [9.0, 16.0]);
```
";

/// The step that installs an OpenCL device that needs no GPU.
const POCL: &str = "      - run: sudo apt-get update && sudo apt-get install \
                    --yes pocl-opencl-icd ocl-icd-libopencl1 oclgrind\n";

const LICENSES: [&str; 3] = ["MIT OR Apache-2.0", "MIT", "Apache-2.0"];

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let license = args.option("--license")?;
    let license = license.unwrap_or_else(|| LICENSES[0].to_string());
    let git = args.option("--git")?;
    let (words, _) = args.rest(2)?;
    let [id, folder] = &words[..] else {
        let Some(id) = words.first() else { return Err(Stop::Page) };
        return Err(Stop::Usage(format!(
            "name a new folder for the crate: cargo learn eject {id} FOLDER"
        )));
    };
    let exercises = course::exercises(checkout)?;
    let exercise = course::find(&exercises, id)?;
    let kind = KINDS.iter().find(|kind| kind.id == exercise.id);
    let kind = kind.ok_or_else(|| {
        let id = &exercise.id;
        Stop::Usage(format!(
            "{id} cannot be ejected; my_engine, my_device and my_kernels can"
        ))
    })?;
    if !LICENSES.contains(&license.as_str()) {
        return Err(Stop::Usage(format!(
            "--license is {license:?}; it can be {}",
            LICENSES.map(|it| format!("{it:?}")).join(", ")
        )));
    }
    let folder = Path::new(folder);
    let name = crate_name(folder)?;
    let level = passed(checkout, exercise, kind)?;
    let taken = fs::read_dir(folder)
        .map_or(folder.exists(), |mut entries| entries.next().is_some());
    if taken {
        return Err(Stop::Failed(format!(
            "{} already exists and is not an empty folder; choose a new one",
            folder.display()
        )));
    }
    let git = match kind.id {
        "my_engine" => None,
        _ => Some(Source::find(checkout, git)?),
    };
    let files = files(checkout, exercise, kind, &name, level, &license, git)?;
    for (file, text) in &files {
        let file = folder.join(file);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| cannot_save(&file, &error))?;
    }
    let all = exercise.levels.len();
    say!("{id} is now the crate {name} in {}.", folder.display());
    let passing =
        format!("{level} of {all} levels pass: {}", named(exercise, level));
    for line in wrapped(&format!("{passing}.")) {
        say!("{line}");
    }
    if level < all {
        say!("The laws of later levels are not in it.");
    }
    say!();
    for (file, _) in &files {
        say!("  {file}");
    }
    say!();
    say!("Test it: cd {} && cargo test", folder.display());
    Ok(())
}

/// Returns how many levels pass, or an error if the crate would not pass its
/// own laws.
fn passed(
    checkout: &Checkout,
    exercise: &Exercise,
    kind: &Kind,
) -> Result<usize, Stop> {
    let id = &exercise.id;
    let progress = Progress::load(checkout);
    let (level, all) =
        (levels::passed(exercise, &progress), exercise.levels.len());
    if status::is_changed(exercise, &progress, checkout) {
        return Err(Stop::Failed(format!(
            "{id} has changed since it was last checked, so it is unknown \
             which levels pass; check it again: `cargo learn check {id}`"
        )));
    }
    let needed = if kind.id == "my_engine" { 1 } else { all };
    if level < needed {
        return Err(Stop::Failed(format!(
            "{level} of the {all} levels of {id} pass, and a crate needs \
             {needed}; `cargo learn check {id}` says what is next"
        )));
    }
    Ok(level)
}

/// Returns the name of the folder if it can be the name of a crate.
fn crate_name(folder: &Path) -> Result<String, Stop> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let fits = |letter: char| {
        letter.is_ascii_lowercase()
            || letter.is_ascii_digit()
            || "-_".contains(letter)
    };
    let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    match begins && name.chars().all(fits) {
        true => Ok(name.into_owned()),
        false => Err(Stop::Usage(format!(
            "the crate gets the folder's name, and {name:?} cannot be one: use \
             lowercase letters, digits, `-` and `_`, and begin with a letter"
        ))),
    }
}

/// Where the crate takes Rungrad from.
struct Source {
    address: String,
    commit: String,
}

impl Source {
    fn find(
        checkout: &Checkout,
        address: Option<String>,
    ) -> Result<Source, Stop> {
        let address =
            address.or_else(|| git(checkout, &["remote", "get-url", "origin"]));
        let commit = git(checkout, &["rev-parse", "HEAD"]);
        match (address, commit) {
            (Some(address), Some(commit)) => Ok(Source { address, commit }),
            (None, _) => Err(Stop::Failed(
                "this checkout has no git remote `origin` from which the \
                 crate could take Rungrad; name its address with --git ADDRESS"
                    .to_string(),
            )),
            (_, None) => Err(Stop::Failed(
                "this checkout is not a git repository, so the crate cannot \
                 name the commit of Rungrad that it needs; clone Rungrad with \
                 git"
                .to_string(),
            )),
        }
    }

    fn dependency(&self, name: &str) -> String {
        let Source { address, commit } = self;
        format!("{name} = {{ git = {address:?}, rev = {commit:?} }}\n")
    }
}

fn git(checkout: &Checkout, words: &[&str]) -> Option<String> {
    let mut command = process::Command::new("git");
    let output = command.args(words).current_dir(&checkout.root).output();
    let output = output.ok().filter(|it| it.status.success())?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_string();
    Some(line).filter(|line| !line.is_empty())
}

fn named(exercise: &Exercise, level: usize) -> String {
    let names: Vec<&str> =
        exercise.levels[..level].iter().map(|it| it.name.as_str()).collect();
    names.join(", ")
}

/// Returns the files of the crate with their paths.
fn files(
    checkout: &Checkout,
    exercise: &Exercise,
    kind: &Kind,
    name: &str,
    level: usize,
    license: &str,
    git: Option<Source>,
) -> Result<Vec<(String, String)>, Stop> {
    let library = name.replace('-', "_");
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    let read = |file: &Path| {
        fs::read_to_string(file).map_err(|error| {
            Stop::Failed(format!("cannot read {}: {error}", file.display()))
        })
    };
    let yours = read(&file)?;
    let mut sources = match kind.id {
        "my_engine" => {
            let rng = checkout.root.join("src/common/rng.rs");
            engine(&yours, &place, &read(&rng)?, level, &library)?
        }
        "my_device" => device(&yours, &library),
        _ => kernels(&yours),
    };
    let dependencies = match (&git, kind.id) {
        (None, _) => String::new(),
        (Some(git), "my_device") => format!(
            "\n[dependencies]\n# Rungrad is not on crates.io. The device \
             obeys the laws of this commit.\n{}{}",
            git.dependency("rungrad"),
            laws_of(git, &["exercises", "my_engine"])
        ),
        (Some(git), _) => laws_of(git, &["my_engine"]),
    };
    let depends = match kind.id {
        "my_engine" => "None. The crate needs only the standard library.",
        "my_device" => {
            "[Rungrad](@GIT@), at the commit in `Cargo.toml`: the device \
             implements its trait `Backend`. The tests also need its packages \
             `my_engine` and `exercises`, which have the laws."
        }
        _ => {
            "None. The tests need the package `my_engine` of [Rungrad](@GIT@), \
             at the commit in `Cargo.toml`, which has the laws, and an OpenCL \
             device."
        }
    };
    let publish = match kind.id {
        "my_device" => {
            "`cargo publish` works only when Rungrad is on crates.io. Until \
             then, others can use the crate with git."
        }
        _ => "`cargo publish` publishes the crate.",
    };
    let origin = match kind.id {
        "my_engine" => {
            "`src/rng.rs` and `tests/laws.rs` come from Rungrad (MIT OR \
             Apache-2.0)."
        }
        _ => "`tests/laws.rs` comes from Rungrad (MIT OR Apache-2.0).",
    };
    let address = git.map(|it| it.address).unwrap_or_default();
    let example = match kind.id {
        "my_engine" if level >= EXAMPLE_LEVEL => EXAMPLE,
        _ => "",
    };
    let contents = format!("{}{example}", kind.contents);
    let fill = |text: &str| {
        text.replace("@CONTENTS@", &contents)
            .replace("@LIBRARY@", &library)
            .replace("@LEVELS@", &named(exercise, level))
            .replace("@LAWS@", kind.laws)
            .replace("@DEPENDS@", depends)
            .replace("@PUBLISH@", publish)
            .replace("@ORIGIN@", origin)
            .replace("@KEYWORDS@", kind.keywords)
            .replace("@DEPENDENCIES@", &dependencies)
            .replace("@SETUP@", kind.setup)
            .replace("@ABOUT@", kind.about)
            .replace("@LICENSE@", license)
            .replace("@NAME@", name)
            .replace("@GIT@", &address)
    };
    let mut manifest = fill(include_str!("../eject/Cargo.toml.in"));
    if kind.id != "my_engine" {
        manifest += "\n# The laws print a verdict themselves.\n[[test]]\n\
                     name = \"laws\"\nharness = false\n";
    }
    let mut files = vec![
        ("Cargo.toml".to_string(), manifest),
        ("README.md".to_string(), fill(include_str!("../eject/README.md"))),
        (".gitignore".to_string(), "/target/\n".to_string()),
        // The sources are formatted with these settings.
        (
            "rustfmt.toml".to_string(),
            include_str!("../../../rustfmt.toml").to_string(),
        ),
        (
            ".github/workflows/ci.yml".to_string(),
            fill(include_str!("../eject/ci.yml")),
        ),
    ];
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let word = if file == "LICENSE-MIT" { "MIT" } else { "Apache-2.0" };
        if license.contains(word) {
            let text = read(&checkout.root.join(file))?;
            let whose = format!("The authors of {name}");
            let text = text.replace("The Rungrad authors", &whose);
            files.push((file.to_string(), text));
        }
    }
    files.append(&mut sources);
    Ok(files)
}

/// Returns the dependencies of the tests.
fn laws_of(git: &Source, packages: &[&str]) -> String {
    let lines = packages.iter().map(|name| git.dependency(name));
    format!("\n[dev-dependencies]\n# The laws.\n{}", lines.collect::<String>())
}

/// Returns the sources of the engine's crate. `place` is the path of the
/// learner's file, as it is shown in messages.
fn engine(
    yours: &str,
    place: &str,
    rng: &str,
    level: usize,
    library: &str,
) -> Result<Vec<(String, String)>, Stop> {
    // A path that the engine may use, and its replacement in the crate.
    let known = [
        ("rungrad::rng::", "crate::rng::"),
        ("rungrad::ops::Keep", "crate::Keep"),
    ];
    let mut text = without_heading(yours, "my_engine");
    let keeps = text.contains("rungrad::ops::Keep");
    for (from, to) in known {
        text = text.replace(from, to);
    }
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let other = text.lines().filter(is_code).find(|it| it.contains("rungrad"));
    if let Some(line) = other {
        return Err(Stop::Failed(format!(
            "{place} has the line `{}`, and a standalone engine can use only \
             `rungrad::rng::Random` and `rungrad::ops::Keep`, each in \
             a `use` of its own; write the rest yourself",
            line.trim()
        )));
    }
    let mut text = format!("//! {}\n\n{}", KINDS[0].about, text.trim_start());
    text += "\npub mod rng;\n";
    if keeps {
        text += "\n/// Whether a reduction keeps its axes with size 1.\n\
                 #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
                 pub enum Keep {\n    /// Keep them.\n    Yes,\n    \
                 /// Remove them.\n    No,\n}\n";
    }
    let laws = include_str!("../eject/laws.rs");
    let laws = levels::solution_at(laws, level).map_err(Stop::Failed)?;
    let laws = laws.replace("my_engine::", &format!("{library}::"));
    let tests = rng.find("\n#[cfg(test)]").unwrap_or(rng.len());
    let rng = rng[..tests].replace("rungrad::", &format!("{library}::"));
    Ok(vec![
        ("src/lib.rs".to_string(), text),
        ("src/rng.rs".to_string(), rng),
        ("tests/laws.rs".to_string(), laws),
    ])
}

fn device(yours: &str, library: &str) -> Vec<(String, String)> {
    let text = without_heading(yours, "my_device");
    // A complete device delegates no operation to the processor.
    let text = text.replace("use my_engine::delegate;\n", "");
    let text = format!("//! {}\n\n{}", KINDS[1].about, text.trim_start());
    let laws = format!(
        "//! Checks the device with the laws of Rungrad.\n\n\
         use std::process::ExitCode;\n\n\
         use exercises::Answer;\n\n\
         fn main() -> ExitCode {{\n    \
         let file = concat!(env!(\"CARGO_MANIFEST_DIR\"), \
         \"/src/lib.rs\");\n    \
         my_engine::device::main(&{library}::MINE, Answer::from(file))\n}}\n"
    );
    vec![("src/lib.rs".to_string(), text), ("tests/laws.rs".to_string(), laws)]
}

fn kernels(yours: &str) -> Vec<(String, String)> {
    let library = format!(
        "//! {}\n\n/// The source of the kernels.\n\
         pub const SOURCE: &str = include_str!(\"my_kernels.cl\");\n",
        KINDS[2].about
    );
    let laws = "//! Checks the kernels with the laws of Rungrad.\n\n\
                use std::process::ExitCode;\n\n\
                fn main() -> ExitCode {\n    \
                let folder = env!(\"CARGO_MANIFEST_DIR\");\n    \
                let file = format!(\"{folder}/src/my_kernels.cl\");\n    \
                my_engine::kernels::main(file.leak())\n}\n";
    vec![
        ("src/lib.rs".to_string(), library),
        ("src/my_kernels.cl".to_string(), without_heading(yours, "my_kernels")),
        ("tests/laws.rs".to_string(), laws.to_string()),
    ]
}

/// Returns the file without the comment at its top that states the exercise.
fn without_heading(text: &str, id: &str) -> String {
    if !text.starts_with(&format!("// {id}:")) {
        return text.to_string();
    }
    let lines = text.lines().skip_while(|line| line.starts_with("//"));
    let lines = lines.skip_while(|line| line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}
