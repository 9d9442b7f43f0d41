//! What a command is, how it reads its words, and how it stops.

use crate::nearest::nearest;

/// One word after `cargo learn`, with its page beside its code.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// What may follow the name.
    pub(crate) usage: &'static str,
    /// One line for the overview.
    pub(crate) summary: &'static str,
    /// What `cargo learn help NAME` prints below the usage.
    pub(crate) page: &'static str,
    pub(crate) run: fn(&crate::Checkout, &[String]) -> Result<(), Stop>,
}

/// Why a command stops early, each but the last one readable sentence.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The words on the command line are wrong: exit code 2.
    Usage(String),
    /// The machine refused something: exit code 1.
    Failed(String),
    /// Somebody has said it already; only the code goes on.
    Said(u8),
}

impl Stop {
    pub(crate) fn sentence(&self) -> Option<&str> {
        match self {
            Stop::Usage(sentence) | Stop::Failed(sentence) => Some(sentence),
            Stop::Said(_) => None,
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Stop::Usage(_) => 2,
            Stop::Failed(_) => 1,
            Stop::Said(code) => *code,
        }
    }
}

/// The words after a command's name. A command takes the flags and options
/// that it knows; [`Words::rest`] refuses what is left over.
pub(crate) struct Words {
    command: &'static str,
    left: Vec<String>,
    known: Vec<&'static str>,
    /// What stands after `--`: it belongs to the program that is started.
    passed_on: Vec<String>,
}

impl Words {
    pub(crate) fn new(command: &'static str, args: &[String]) -> Words {
        let end = args.iter().position(|word| word == "--");
        let (left, passed_on) = match end {
            Some(at) => (&args[..at], &args[at + 1..]),
            None => (args, &[][..]),
        };
        Words {
            command,
            left: left.to_vec(),
            known: Vec::new(),
            passed_on: passed_on.to_vec(),
        }
    }

    /// Tells whether `--name` is there.
    pub(crate) fn flag(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        let before = self.left.len();
        self.left.retain(|word| word != name);
        self.left.len() < before
    }

    /// Takes the value of `--name value` or `--name=value`.
    pub(crate) fn option(
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
            let command = self.command;
            return Err(Stop::Usage(format!(
                "{name} needs a value after it; see \
                 `cargo learn help {command}`"
            )));
        }
        Ok(Some(self.left.remove(at)))
    }

    /// Takes at most `count` words that are no flags, and what stands after
    /// `--`.
    pub(crate) fn rest(
        self,
        count: usize,
    ) -> Result<(Vec<String>, Vec<String>), Stop> {
        let command = self.command;
        let beyond = match command {
            "run" => "; what is meant for an example stands after --",
            _ => "",
        };
        if let Some(flag) = self.left.iter().find(|word| word.starts_with('-'))
        {
            let hint = match nearest(flag, &self.known) {
                Some(name) => format!("; the nearest is {name}"),
                None => String::new(),
            };
            return Err(Stop::Usage(format!(
                "`cargo learn {command}` knows no {flag}{hint}{beyond}; see \
                 `cargo learn help {command}`"
            )));
        }
        if let Some(extra) = self.left.get(count) {
            return Err(Stop::Usage(format!(
                "`cargo learn {command}` has no use for {extra:?}{beyond}; \
                 see `cargo learn help {command}`"
            )));
        }
        Ok((self.left, self.passed_on))
    }
}
