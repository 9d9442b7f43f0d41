//! Parses the command line.

use std::path::{Path, PathBuf};

use profile::{CARDS, Card};
use rungrad::Error;
use tools::words::Args;

pub(crate) const HELP: &str = concat!(
    "usage: cargo learn profile NAME [options]\n\n",
    include_str!("help.txt")
);

/// The parsed command line.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) name: String,
    /// More kernels, if only totals are requested.
    pub(crate) others: Vec<String>,
    /// The program that launches the kernels. Without one, this program does.
    pub(crate) program: Option<PathBuf>,
    /// The learner's file, if the program is a check.
    pub(crate) file: Option<PathBuf>,
    pub(crate) warp: usize,
    pub(crate) card: &'static Card,
    pub(crate) registers: Option<u64>,
    pub(crate) size: Option<Vec<usize>>,
    pub(crate) line: Option<usize>,
    pub(crate) out: PathBuf,
    /// Whether to print only a line of totals.
    pub(crate) counters: bool,
    /// In the child process: launch the kernel with this name and exit.
    pub(crate) launches: bool,
}

impl Request {
    pub(crate) fn parse(words: &[String]) -> Result<Request, Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let out = root.unwrap_or(Path::new(".")).join("target/profile.svg");
        let mut words = Args::new("cargo learn profile", words);
        let file = |word: &str| Ok(PathBuf::from(word));
        let card = |word: &str| profile::card(word).map_err(Error::Usage);
        let count = |name| move |word: &str| number(name, word);
        let registers = words.value("--registers", count("--registers"))?;
        let mut request = Request {
            program: words.value("--program", file)?,
            file: words.value("--file", file)?,
            counters: words.flag("--counters"),
            launches: words.flag("--launch"),
            warp: words.value("--warp", warp)?.unwrap_or(32),
            card: words.value("--card", card)?.unwrap_or(&CARDS[0]),
            registers: registers.map(|count| count as u64),
            size: words.value("--size", sizes)?,
            line: words.value("--line", count("--line"))?,
            out: words.value("--out", file)?.unwrap_or(out),
            name: String::new(),
            others: words.rest(|_| false)?,
        };
        if !request.others.is_empty() {
            request.name = request.others.remove(0);
        }
        match request.others.first() {
            Some(other) if !request.counters => Err(Error::Usage(format!(
                "one name at a time: {} is asked for, and {other} too; only \
                 --counters takes several",
                request.name
            ))),
            _ => Ok(request),
        }
    }
}

fn warp(word: &str) -> Result<usize, Error> {
    match word {
        "32" => Ok(32),
        "64" => Ok(64),
        other => Err(Error::Usage(format!(
            "--warp {other}: a warp has 32 items, and a wavefront of AMD's 64"
        ))),
    }
}

fn number(option: &str, word: &str) -> Result<usize, Error> {
    let number = word.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| {
        Error::Usage(format!(
            "{option} wants a number from 1 on, and not {word}"
        ))
    })
}

fn sizes(word: &str) -> Result<Vec<usize>, Error> {
    word.split('x').map(|size| number("--size", size)).collect()
}
