//! Runs one command of the book, as a reader would.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output as Ended, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::tree::Tree;

/// More time than any program of the book needs on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Builds the programs of these commands and returns their folder.
pub(crate) fn built<'a>(
    commands: impl IntoIterator<Item = &'a str>,
) -> Result<PathBuf, String> {
    let file = |command| program(command).map(|it| it.file);
    let files = commands.into_iter().map(file);
    let files = files.collect::<Result<BTreeSet<String>, String>>()?;
    let packages = ["rungrad", "tools", "cluster"];
    let mut words = vec!["--lib"];
    words.extend(packages.iter().flat_map(|name| ["--package", name]));
    for file in &files {
        words.extend(match file.strip_prefix("examples/") {
            Some(name) => ["--example", name],
            None => ["--bin", file],
        });
    }
    testkit::place::programs(&words)
}

/// A parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Program {
    pub(crate) variables: Vec<(String, String)>,
    /// The tool that runs the program, such as `oclgrind --data-races`.
    pub(crate) tool: Vec<String>,
    /// The executable, in the folder of the profile.
    pub(crate) file: String,
    pub(crate) words: Vec<String>,
}

/// Parses a command that a reader types: `cargo run --example NAME --
/// ARGUMENTS`, `cargo learn try ARGUMENTS` or `cargo learn profile ARGUMENTS`,
/// preceded by variables and a tool. An example of the package `cluster` is
/// named after `-p cluster`.
pub(crate) fn program(command: &str) -> Result<Program, String> {
    let mut words: Vec<String> = Vec::new();
    for (i, part) in command.split('"').enumerate() {
        // Every second part is quoted, possibly the value of a variable.
        match words.last_mut() {
            _ if i % 2 == 0 => {
                words.extend(part.split_whitespace().map(String::from));
            }
            Some(word) if word.ends_with('=') => word.push_str(part),
            _ => words.push(part.to_string()),
        }
    }
    let first = words.iter().position(|word| word == "cargo");
    let rest = words.split_off(first.unwrap_or(0));
    let tool = words.iter().position(|word| !word.contains('='));
    let tool = words.split_off(tool.unwrap_or(words.len()));
    let variables = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    // The test builds the examples with its own profile.
    let known: Vec<&str> = rest
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "--release")
        .collect();
    let (file, words) = match &known[..] {
        ["cargo", "learn", "try", words @ ..] => ("expression".into(), words),
        ["cargo", "learn", "profile", words @ ..] => ("profile".into(), words),
        ["cargo", "run", "--example", name, words @ ..]
        | ["cargo", "run", "-p", "cluster", "--example", name, words @ ..] => {
            let words = words.strip_prefix(&["--"]).unwrap_or(words);
            (format!("examples/{name}"), words)
        }
        _ => return Err(format!("`{command}` runs no example.")),
    };
    let words = words.iter().map(|word| word.to_string()).collect();
    Ok(Program { variables, tool, file, words })
}

/// Runs a command, which must succeed.
pub(crate) fn ended(
    folder: &Path,
    command: &str,
) -> Result<(Program, Ended), String> {
    let program = program(command)?;
    let file = &program.file;
    let path =
        folder.join(file).with_extension(std::env::consts::EXE_EXTENSION);
    let mut line = program.tool.iter().map(PathBuf::from).collect::<Vec<_>>();
    line.push(path);
    let child = Command::new(&line[0])
        .args(&line[1..])
        .args(&program.words)
        .current_dir(Tree::root())
        .env_remove("RUNGRAD_DEVICE")
        .envs(program.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{file}` does not start: {error}"))?;
    let ended = wait(child, TIME_LIMIT)?;
    if !ended.status.success() {
        return Err(format!(
            "`{command}` ended with {}.\n{}",
            ended.status,
            String::from_utf8_lossy(&ended.stderr),
        ));
    }
    Ok((program, ended))
}

/// Returns the command and its output, without the parts that depend on the
/// machine.
pub(crate) fn listing(
    folder: &Path,
    command: &str,
    devices: &[&str],
) -> Result<String, String> {
    let (program, ended) = ended(folder, command)?;
    let mut text = String::from_utf8_lossy(&ended.stdout).into_owned();
    // The messages of a tool come first. Without a tool, standard error may
    // contain messages of a driver, which are ignored.
    if !program.tool.is_empty() {
        let stderr = String::from_utf8_lossy(&ended.stderr);
        text.insert_str(0, &without_notes(&stderr));
    }
    let text = everywhere(&text, devices);
    Ok(format!("$ {}\n{text}", broken(command)))
}

/// Wraps a command to the width of the page.
pub(crate) fn broken(command: &str) -> String {
    const WIDTH: usize = 72;
    let mut lines = vec![String::new()];
    for word in command.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + word.len() < WIDTH {
            line.extend([" ", word]);
        } else {
            lines.push(format!("    {word}"));
        }
    }
    lines.join(" \\\n")
}

/// Removes the numbers of debug notes, such as `, !dbg !29`, from the messages
/// of a tool.
fn without_notes(text: &str) -> String {
    let mut said = String::new();
    for line in text.trim().lines() {
        let words = line.split(", !dbg").next().unwrap_or_default();
        let words = words.trim_end().replace('\t', "    ");
        // One empty line separates messages.
        if !words.is_empty() || !said.ends_with("\n\n") {
            said += &format!("{words}\n");
        }
    }
    said
}

pub(crate) fn wait(mut child: Child, limit: Duration) -> Result<Ended, String> {
    let start = Instant::now();
    // Both streams are read while it runs, because a full pipe would block it.
    let mut out = child.stdout.take().expect("a pipe");
    let mut err = child.stderr.take().expect("a pipe");
    let read = |pipe: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    };
    let stdout = thread::spawn(move || read(&mut out));
    let stderr = thread::spawn(move || read(&mut err));
    let status = loop {
        match child.try_wait().expect("a child of ours") {
            Some(status) => break status,
            None if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "the program does not end within {limit:?}."
                ));
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let stdout = stdout.join().expect("a reader");
    let stderr = stderr.join().expect("a reader");
    Ok(Ended { status, stdout, stderr })
}

/// Replaces everything that depends on the machine: names and properties of
/// devices, times and their ratios, and the path of the repository.
pub(crate) fn everywhere(text: &str, devices: &[&str]) -> String {
    // The programs contain the path of the folder in which they were built.
    let root = format!("{}/", testkit::place::built().display());
    let mut text = text.replace(&root, "");
    for device in devices {
        let name = device.trim();
        text = text.replace(&format!("({name})"), "(your device)");
        text = text.replace(name, "(your device)");
    }
    let lines = text.split_inclusive('\n');
    lines.map(|line| without_times(&without_limits(line))).collect()
}

/// Properties of a device, as printed by `part2_limits` and `part3_devices`.
const LIMITS: [&str; 6] = [
    "  OpenCL version  ",
    "  compute units  ",
    "  items in a group  ",
    "  local memory  ",
    "  global memory  ",
    "  largest buffer  ",
];

/// Replaces `  compute units   16` by `  compute units   …`.
fn without_limits(line: &str) -> String {
    match LIMITS.iter().find(|label| line.starts_with(**label)) {
        None => line.to_string(),
        Some(label) => {
            let value = line[label.len()..].trim_start();
            format!("{}…\n", &line[..line.len() - value.len()])
        }
    }
}

/// Replaces `12.5 ms` by `… ms`, and `1900x` by `…x`.
fn without_times(line: &str) -> String {
    let is_number = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let is_unit = |word: &str| matches!(word, "ns" | "µs" | "us" | "ms" | "s");
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_string()
    };
    let words: Vec<&str> = line.split(' ').collect();
    let mut result = String::new();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).map(|word| bare(word));
        let timed =
            is_number(&bare(word)) && next.is_some_and(|next| is_unit(&next));
        if i > 0 {
            result.push(' ');
        }
        let word_alone = bare(word);
        match word_alone.strip_suffix('x').filter(|ratio| is_number(ratio)) {
            Some(ratio) => result += &word.replace(ratio, "…"),
            None if timed => result += &word.replace(&word_alone, "…"),
            None => result += word,
        }
    }
    result
}
