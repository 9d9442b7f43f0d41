//! A program with commands, the parsing of their arguments, and their errors.

use std::process::ExitCode;

use crate::checkout::Checkout;
use crate::nearest::suggestion;
use crate::terminal::{self, say};

/// A program that is called through a cargo alias, such as `cargo learn`.
pub struct Program {
    /// The alias.
    pub name: &'static str,
    /// The first line of the overview.
    pub about: &'static str,
    /// The command that runs without a name.
    pub bare: Option<&'static Command>,
    /// All commands except `help`, in the order of the overview.
    pub commands: &'static [&'static Command],
    /// The names of the commands that print a verdict. They fail if their
    /// output cannot be read to the end.
    pub verdict_commands: &'static [&'static str],
}

/// A command of a program, with its help.
pub struct Command {
    /// The word after the alias.
    pub name: &'static str,
    /// The arguments, as shown in the usage line.
    pub usage: &'static str,
    /// One line for the overview.
    pub summary: &'static str,
    /// The text that `help NAME` prints below the usage.
    pub page: &'static str,
    /// Runs the command.
    pub run: fn(&Checkout, Args) -> Result<(), Stop>,
}

/// The command that every program has.
const HELP: Command = Command {
    name: "help",
    usage: "[command]",
    summary: "this overview, or the page of one command",
    page: "Prints the overview of all commands, or the page of one.",
    run: |_, _| unreachable!("a program runs it itself"),
};

/// Why a command stops early.
#[derive(Debug)]
pub enum Stop {
    /// The arguments are wrong. The exit code is 2.
    Usage(String),
    /// The arguments are missing: print the command's help. The exit code is
    /// 2.
    Page,
    /// The command failed for this reason. The exit code is 1.
    Failed(String),
    /// The reason has already been printed. The exit code is the number.
    Said(u8),
}

impl Stop {
    /// Returns the reason, if it has not been printed.
    pub fn sentence(&self) -> Option<&str> {
        match self {
            Stop::Usage(sentence) | Stop::Failed(sentence) => Some(sentence),
            Stop::Page | Stop::Said(_) => None,
        }
    }
}

impl Program {
    /// Runs the command that the command line names, and returns its exit
    /// code.
    pub fn main(&self) -> ExitCode {
        let words: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let Err(stop) = self.run(&words) else { return ExitCode::SUCCESS };
        if let Some(sentence) = stop.sentence() {
            terminal::complain(sentence);
        }
        ExitCode::from(match stop {
            Stop::Usage(_) | Stop::Page => 2,
            Stop::Failed(_) => 1,
            Stop::Said(code) => code,
        })
    }

    fn run(&self, words: &[String]) -> Result<(), Stop> {
        let checkout = Checkout::find()?;
        let Some((name, args)) = words.split_first() else {
            return match self.bare {
                Some(bare) => (bare.run)(&checkout, self.split_args("", &[])),
                None => self.overview(),
            };
        };
        match name.as_str() {
            "--help" | "-h" => return self.overview(),
            "--version" | "-V" => {
                say!("rungrad {}", env!("CARGO_PKG_VERSION"));
                return Ok(());
            }
            _ => {}
        }
        let command = self.find(name)?;
        if self.verdict_commands.contains(&command.name) {
            terminal::require_reader();
        }
        let mut own = args.iter().take_while(|word| *word != "--");
        if own.any(|word| word == "--help" || word == "-h") {
            return self.page(command);
        }
        if command.name == HELP.name {
            let (names, _) = self.split_args(command.name, args).rest(1)?;
            return match names.first() {
                None => self.overview(),
                Some(name) => self.page(self.find(name)?),
            };
        }
        let done =
            (command.run)(&checkout, self.split_args(command.name, args));
        if let Err(Stop::Page) = done {
            self.page(command)?;
        }
        done
    }

    fn split_args(&self, command: &'static str, args: &[String]) -> Args {
        let end = args.iter().position(|word| word == "--");
        let (left, passed_on) = match end {
            Some(at) => (&args[..at], &args[at + 1..]),
            None => (args, &[][..]),
        };
        Args {
            program: self.name,
            command,
            all: args.to_vec(),
            left: left.to_vec(),
            known: Vec::new(),
            passed_on: passed_on.to_vec(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &'static Command> {
        self.commands.iter().copied().chain([&HELP])
    }

    fn overview(&self) -> Result<(), Stop> {
        let program = self.name;
        say!("{}", self.about);
        say!();
        if let Some(Command { summary, .. }) = self.bare {
            say!("  {:<22} {summary}", format!("cargo {program}"));
        }
        for Command { name, summary, .. } in self.all() {
            say!("  cargo {program} {name:<10} {summary}");
        }
        say!();
        say!("Help on one of them: cargo {program} help COMMAND");
        Ok(())
    }

    fn page(&self, command: &Command) -> Result<(), Stop> {
        let Command { name, usage, page, .. } = command;
        let usage = format!("cargo {} {name} {usage}", self.name);
        say!("{}", usage.trim_end());
        say!();
        say!("{page}");
        Ok(())
    }

    /// Returns the command with that name. The error suggests the nearest
    /// name.
    fn find(&self, name: &str) -> Result<&'static Command, Stop> {
        self.all().find(|command| command.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.all().map(|it| it.name).collect();
            let program = self.name;
            Stop::Usage(format!(
                "there is no command `cargo {program} {name}`{}; `cargo \
                 {program} help` lists all commands",
                suggestion(name, &names)
            ))
        })
    }
}

/// The arguments after a command's name. A command removes the flags and
/// options that it knows; [`Args::rest`] rejects the others.
pub struct Args {
    program: &'static str,
    command: &'static str,
    all: Vec<String>,
    left: Vec<String>,
    known: Vec<&'static str>,
    /// The arguments after `--`, for the program that is started.
    passed_on: Vec<String>,
}

impl Args {
    /// Returns all arguments, for a program that parses them itself. That
    /// program is compiled first, so an option that the command's help does
    /// not mention is rejected here, and so is a value other than those in its
    /// usage line, such as `--warp 32|64`. `--a` next to `a=2` is an
    /// expression.
    pub(crate) fn documented(
        self,
        command: &Command,
    ) -> Result<Vec<String>, Stop> {
        let help = format!("{} {}", command.usage, command.page);
        let is_end = |it: char| !(it.is_ascii_lowercase() || it == '-');
        let known: Vec<&str> =
            help.split(is_end).filter(|it| it.starts_with("--")).collect();
        let mut words = self.all.iter().take_while(|it| *it != "--").peekable();
        while let Some(word) = words.next() {
            let (option, glued) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word.as_str(), None),
            };
            let Some(letters) = option.strip_prefix("--") else { continue };
            let is_word = |it: char| it.is_alphanumeric() || it == '-';
            let given = format!("{letters}=");
            if !letters.chars().all(is_word)
                || self.all.iter().any(|it| it.starts_with(&given))
            {
                continue;
            }
            let Args { program, command: name, .. } = self;
            if !known.contains(&option) {
                return Err(Stop::Usage(format!(
                    "`cargo {program} {name}` has no option {option}{}; see \
                     `cargo {program} help {name}`",
                    suggestion(option, &known)
                )));
            }
            let value = glued.or_else(|| Some(words.peek()?.as_str()));
            let choices = choices(command.usage, option);
            if let (Some(value), Some(choices)) = (value, choices)
                && !choices.split('|').any(|choice| fits(choice, value))
            {
                return Err(Stop::Usage(format!(
                    "{option} is {value:?}; it can be {}",
                    choices.replace('|', ", ")
                )));
            }
        }
        Ok(self.all)
    }

    /// Removes and returns the arguments that `fits` accepts.
    pub(crate) fn take(&mut self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        self.left.extract_if(.., |word| fits(word)).collect()
    }

    /// Removes `--name` and returns whether it was there.
    pub fn flag(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        let before = self.left.len();
        self.left.retain(|word| word != name);
        self.left.len() < before
    }

    /// Removes `--name value` or `--name=value` and returns the value.
    pub fn option(
        &mut self,
        name: &'static str,
    ) -> Result<Option<String>, Stop> {
        self.known.push(name);
        let glued = format!("{name}=");
        let Some(at) = self
            .left
            .iter()
            .position(|word| word == name || word.starts_with(&glued))
        else {
            return Ok(None);
        };
        let word = self.left.remove(at);
        if let Some(value) = word.strip_prefix(&glued) {
            return Ok(Some(value.to_string()));
        }
        if at == self.left.len() || self.left[at].starts_with('-') {
            let Args { program, command, .. } = self;
            return Err(Stop::Usage(format!(
                "{name} needs a value after it; see \
                 `cargo {program} help {command}`"
            )));
        }
        Ok(Some(self.left.remove(at)))
    }

    /// Returns at most `count` positional arguments and the arguments after
    /// `--`.
    pub fn rest(
        self,
        count: usize,
    ) -> Result<(Vec<String>, Vec<String>), Stop> {
        let Args { program, command, .. } = self;
        let beyond = match command {
            "run" => "; put arguments for the example after --",
            _ => "",
        };
        if let Some(flag) = self.left.iter().find(|word| word.starts_with('-'))
        {
            return Err(Stop::Usage(format!(
                "`cargo {program} {command}` has no option {flag}{}{beyond}; \
                 see `cargo {program} help {command}`",
                suggestion(flag, &self.known)
            )));
        }
        if let Some(extra) = self.left.get(count) {
            return Err(Stop::Usage(format!(
                "`cargo {program} {command}` takes no argument {extra:?}\
                 {beyond}; see `cargo {program} help {command}`"
            )));
        }
        Ok((self.left, self.passed_on))
    }
}

/// Returns the values of an option in a usage line, such as `32|64`.
fn choices<'a>(usage: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = usage.split_once(&format!("[{option} "))?;
    rest.split(']').next()
}

/// Returns whether a value is the choice. A choice that ends with `N` fits
/// each number, and one in capital letters fits everything.
fn fits(choice: &str, value: &str) -> bool {
    if choice.chars().all(|it| it.is_ascii_uppercase()) {
        return true;
    }
    match choice.strip_suffix('N') {
        Some(before) => value
            .strip_prefix(before)
            .is_some_and(|number| number.parse::<u32>().is_ok()),
        None => value == choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documented(words: &[&str]) -> Result<Vec<String>, String> {
        const COMMAND: Command = Command {
            name: "bench",
            usage: "[WORDS] [--device cpu|gpu|gpu:N] [--out FILE]",
            summary: "",
            page: "--quick is fast. With --quick, it is fast.",
            run: |_, _| Ok(()),
        };
        let all: Vec<String> = words.iter().map(|it| it.to_string()).collect();
        let args = Args {
            program: "learn",
            command: COMMAND.name,
            left: all.clone(),
            all,
            known: Vec::new(),
            passed_on: Vec::new(),
        };
        let stop = args.documented(&COMMAND);
        stop.map_err(|it| it.sentence().unwrap_or_default().to_string())
    }

    #[test]
    fn an_option_that_the_help_does_not_mention_is_rejected() {
        let words = ["a", "--quick", "--out", "x", "--", "--fast"];
        assert_eq!(documented(&words).unwrap(), words);
        let error = documented(&["a", "--quik"]).unwrap_err();
        assert!(error.contains("no option --quik (did you mean --quick?)"));
        for words in [&["--fast"][..], &["--fast=3"], &["--a", "b=1"]] {
            assert!(documented(words).is_err(), "{words:?}");
        }
        for words in [&["--a", "a=2"][..], &["--(a*b)", "a=2"]] {
            assert!(documented(words).is_ok(), "{words:?}");
        }
    }

    #[test]
    fn a_value_that_the_usage_does_not_list_is_rejected() {
        for device in ["cpu", "gpu:1"] {
            assert!(documented(&["--device", device]).is_ok(), "{device}");
        }
        for words in [&["--device", "tpu"][..], &["--device=gpu:x"]] {
            let error = documented(words).unwrap_err();
            assert!(error.contains("it can be cpu, gpu, gpu:N"), "{error}");
        }
    }
}
