//! Parses the command line.

use std::path::{Path, PathBuf};

use rungrad::Error;
use rungrad::part3_unified::Device;
use tools::words::Args;

use crate::machine::root;
use crate::peer::Source;
use crate::rows::Class;
use crate::work::Work;

pub(crate) const HELP: &str = concat!(
    "usage: cargo learn bench [WORDS] [options]\n\n",
    include_str!("help.txt")
);

const PEERS: [(&str, Source); 4] = [
    ("numpy", Source::Python("numpy")),
    ("torch", Source::Python("torch")),
    ("clblast", Source::Python("clblast")),
    ("candle", Source::Built(CANDLE)),
];

/// The path of the peer candle, after `cargo build --release --bin candle` in
/// its folder.
const CANDLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../benches/peers/target/release/candle"
);

/// The parsed command line.
#[derive(Debug)]
pub(crate) struct Request {
    words: Vec<String>,
    pub(crate) device: Device,
    /// `None` means the default peers.
    peers: Option<Vec<(String, Source)>>,
    pub(crate) threads: Option<usize>,
    pub(crate) seconds: f64,
    pub(crate) limit: f64,
    pub(crate) is_quick: bool,
    pub(crate) list: bool,
    /// Whether to run the rows on the lazy device as well.
    pub(crate) fused: bool,
    pub(crate) out: PathBuf,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) noise: f64,
    pub(crate) tune: bool,
    /// The file with the tuned tiles: written with `--tune`, and otherwise
    /// read.
    pub(crate) tuned: Option<PathBuf>,
}

impl Request {
    pub(crate) fn parse(words: &[String]) -> Result<Request, Error> {
        let mut words = Args::new("cargo learn bench", words);
        let file = |word: &str| Ok(PathBuf::from(word));
        let mut peers = None;
        for name in words.values("--peer")? {
            add_peer(peers.get_or_insert_default(), &name)?;
        }
        let mut amount =
            |name, least| words.value(name, |word| number(name, word, least));
        let threads = amount("--threads", 1.0)?.map(|count| count as usize);
        let seconds = amount("--seconds", 0.0)?;
        let limit = amount("--limit", 0.0)?.unwrap_or(10.0);
        let noise = amount("--noise", 1.0)?.unwrap_or(1.3);
        let device = words.value("--device", str::parse)?;
        let out = words.value("--out", file)?;
        let is_quick = words.flag("--quick");
        Ok(Request {
            device: device.map_or_else(Device::from_env, Ok)?,
            peers,
            threads,
            seconds: seconds.unwrap_or(if is_quick { 0.09 } else { 0.5 }),
            limit,
            is_quick,
            list: words.flag("--list"),
            fused: words.flag("--fused"),
            out: out.unwrap_or_else(|| {
                root().unwrap_or(Path::new("")).join("target/bench")
            }),
            baseline: words.value("--baseline", file)?,
            noise,
            tune: words.flag("--tune"),
            tuned: words.value("--tuned", file)?,
            words: words.rest(|_| false)?,
        })
    }

    /// Returns the lazy device that is based on the device of the rows.
    pub(crate) fn lazy(&self) -> Option<Device> {
        match self.device {
            Device::Cpu if self.fused => Some(Device::FusedCpu),
            Device::Gpu(index) if self.fused => Some(Device::Fused(index)),
            _ => None,
        }
    }

    /// Returns whether the peers were requested by name.
    pub(crate) fn names_peers(&self) -> bool {
        self.peers.is_some()
    }

    /// Returns the sources of the peers for this run.
    pub(crate) fn sources(&self, class: Class) -> Vec<(String, Source)> {
        let usual = || {
            // numpy and candle need a processor, and CLBlast an OpenCL device.
            let fits = |(name, _): &&(&str, Source)| match class {
                Class::Processor => *name != "clblast",
                Class::Small => true,
                Class::Card => ["torch", "clblast"].contains(name),
            };
            let is_here = |(_, source): &&(&str, Source)| match source {
                Source::Built(program) => Path::new(program).is_file(),
                _ => true,
            };
            let usual = PEERS.iter().filter(fits).filter(is_here);
            usual.map(|(name, it)| (name.to_string(), it.clone())).collect()
        };
        self.peers.clone().unwrap_or_else(usual)
    }

    /// Returns whether an item with this name is requested. Without arguments,
    /// everything is.
    pub(crate) fn names(&self, name: &str) -> bool {
        let mut words = self.words.iter();
        self.words.is_empty() || words.any(|word| name.contains(word.as_str()))
    }

    /// Selects the requested rows, in their original order.
    pub(crate) fn choose(&self, all: Vec<Work>) -> Result<Vec<Work>, Error> {
        let names: Vec<String> = all.iter().map(Work::to_string).collect();
        // A complete name selects only that row, not longer names that begin
        // with it.
        let means = |word: &String, row: &Work| match names.contains(word) {
            true => row.to_string() == *word,
            false => row.to_string().contains(word),
        };
        for word in &self.words {
            if !all.iter().any(|row| means(word, row)) {
                let mut kinds: Vec<&str> =
                    all.iter().map(|row| row.kind).collect();
                kinds.dedup();
                return Err(Error::Usage(format!(
                    "no row of {} has `{word}` in its name; the rows are of \
                     the kinds {}, and `cargo learn bench --list` has them all",
                    self.device,
                    kinds.join(", ")
                )));
            }
        }
        let is_asked_for = |row: &Work| match self.words.is_empty() {
            true => row.is_quick || !self.is_quick,
            false => self.words.iter().any(|word| means(word, row)),
        };
        Ok(all.into_iter().filter(is_asked_for).collect())
    }
}

/// Adds a peer by its name, or as a program.
fn add_peer(
    peers: &mut Vec<(String, Source)>,
    name: &str,
) -> Result<(), Error> {
    let usual = PEERS.iter().find(|(usual, _)| *usual == name);
    match usual {
        Some((usual, source)) => {
            peers.push((usual.to_string(), source.clone()));
        }
        None if name == "none" => {}
        // A program has a folder or arguments.
        None if name.contains(['/', ' ']) => {
            let source = Source::Program(name.to_string());
            peers.push((format!("`{name}`"), source));
        }
        None => {
            return Err(Error::Usage(format!(
                "`{name}` is no peer; there are numpy, torch, clblast, candle \
                 and none, and a program is written with its folder, such as \
                 ./{name}"
            )));
        }
    }
    Ok(())
}

/// Parses a number above `least`. The value `least` itself is allowed if it is
/// 1.
fn number(option: &str, word: &str, least: f64) -> Result<f64, Error> {
    let number = word.parse::<f64>().ok().filter(|it| it.is_finite());
    let fits = |it: &f64| *it > least || (*it == least && least == 1.0);
    number.filter(fits).ok_or_else(|| {
        Error::Usage(format!(
            "`{word}` is no number for {option}; write one that is {} {least}",
            if least == 1.0 { "at least" } else { "more than" }
        ))
    })
}
