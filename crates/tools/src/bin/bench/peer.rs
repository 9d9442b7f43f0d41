//! Other engines on the same work. A peer is a child process that lives as
//! long as the table: it says in its first line who it is, and answers each
//! row with its times. Both are JSON, a line each:
//!
//! ```text
//! {"peer": "PyTorch", "version": "2.11.0", "on": "NVIDIA H200"}
//! > {"row": "matmul 64", "work": "matmul", "sizes": [1, 64, 64, 64, 0, 0],
//! >  "seconds": 0.1, "limit": 10.0}
//! {"eager": [1.1e-05, 1.2e-05], "graph": [7.0e-06]}
//! ```
//!
//! A row that it has no operation for has no way of running it, and so an
//! empty answer. One that cannot be here says `{"missing": "why"}`, and one that cannot do
//! a row says `{"refused": "why"}`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, thread};

use serde_json::{Value, json};

use crate::work::Work;

/// The peers in Python. The program may be carried to where no checkout is.
const SCRIPT: &str = include_str!("../../../../../benches/peers/rows.py");

/// How long a peer may take to start: PyTorch reads gigabytes.
const START: Duration = Duration::from_secs(120);

/// What a peer runs on, for its command line.
pub(crate) struct Place {
    /// `cpu`, or the name of a card.
    pub(crate) device: String,
    pub(crate) threads: usize,
}

/// Where a peer is found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A package of Python, by its name in the script.
    Python(&'static str),
    /// A program of the project, that is built where it is asked for.
    Built(&'static str),
    /// A program that speaks the same lines.
    Program(String),
}

impl Source {
    /// Returns what helps where it is not here.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Source::Python(_) => {
                "install it for python3, or name another Python with \
                 RUNGRAD_PYTHON"
            }
            Source::Built(_) => {
                "build it: cargo build --release --bin candle \
                 --manifest-path benches/peers/Cargo.toml"
            }
            Source::Program(_) => "start it by hand to see what it lacks",
        }
    }

    fn command(&self, place: &Place) -> Command {
        let mut command = match self {
            Source::Python(package) => {
                let python = env::var("RUNGRAD_PYTHON");
                let mut command =
                    Command::new(python.as_deref().unwrap_or("python3"));
                command.args(["-c", SCRIPT, package]);
                command
            }
            Source::Built(program) => Command::new(program),
            Source::Program(line) => {
                let mut command = Command::new("sh");
                command.args(["-c", &format!("exec {line} \"$@\""), "sh"]);
                command
            }
        };
        command.arg(&place.device).arg(place.threads.to_string());
        for library in ["OMP", "OPENBLAS", "MKL", "RAYON"] {
            let variable = format!("{library}_NUM_THREADS");
            command.env(variable, place.threads.to_string());
        }
        command
    }
}

/// The times of a row, each way of running it by its name; or why that way
/// cannot be gone.
type Ways = BTreeMap<String, Result<Vec<f64>, String>>;

fn seen(told: &Value) -> Result<Result<Vec<f64>, String>, String> {
    if let Some(why) = told.as_str() {
        return Ok(Err(why.to_string()));
    }
    let times = told.as_array().into_iter().flatten().map(Value::as_f64);
    let times: Option<Vec<f64>> = times.collect();
    let usable = |it: &Vec<f64>| {
        !it.is_empty() && it.iter().all(|time| time.is_finite() && *time > 0.0)
    };
    let times = times.filter(usable);
    Ok(Ok(times.ok_or_else(|| format!("{told} are no times"))?))
}

/// What a peer has said of a row, round after round.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) times: BTreeMap<String, Vec<f64>>,
    /// The ways that it cannot go, and why; of the row itself without a name.
    pub(crate) refused: BTreeMap<String, String>,
}

impl Heard {
    /// Has it timed once more, unless it has refused the row.
    pub(crate) fn round(
        &mut self,
        peer: &mut Peer,
        row: &Work,
        seconds: f64,
        limit: f64,
    ) {
        if self.refused.contains_key("") {
            return;
        }
        let ways = peer
            .times(row, seconds, limit)
            .unwrap_or_else(|why| Ways::from([(String::new(), Err(why))]));
        for (way, told) in ways {
            match told {
                Ok(times) => self.times.entry(way).or_default().extend(times),
                Err(why) => _ = self.refused.insert(way, why),
            }
        }
    }
}

/// A peer that answers.
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) version: String,
    /// What it says it runs on.
    pub(crate) on: String,
    child: Child,
    orders: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    /// Starts a peer, or says why it is not here.
    pub(crate) fn start(
        source: &Source,
        place: &Place,
    ) -> Result<Peer, String> {
        let mut child = source
            .command(place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("it cannot be started: {error}"))?;
        let orders = child.stdin.take().expect("it is piped");
        let lines = BufReader::new(child.stdout.take().expect("it is piped"));
        let (send, answers) = channel();
        thread::spawn(move || {
            let lines = lines.lines().map_while(Result::ok);
            lines.for_each(|line| _ = send.send(line));
        });
        let [name, version, on] = [(); 3].map(|()| String::new());
        let mut peer = Peer { name, version, on, child, orders, answers };
        let greeting = peer.answer(START)?;
        if let Some(why) = greeting["missing"].as_str() {
            return Err(why.to_string());
        }
        let word = |key: &str| greeting[key].as_str().map(str::to_string);
        peer.name = word("peer").ok_or("it does not say who it is")?;
        peer.version = word("version").unwrap_or_default();
        peer.on = word("on").unwrap_or_default();
        Ok(peer)
    }

    /// Has a row timed for so many seconds, or says why there is no time. A
    /// peer that does not answer is ended, and answers no other row.
    fn times(
        &mut self,
        row: &Work,
        seconds: f64,
        limit: f64,
    ) -> Result<Ways, String> {
        let order = json!({
            "row": row.to_string(), "work": row.kind, "sizes": row.sizes,
            "seconds": seconds, "limit": limit,
        });
        writeln!(self.orders, "{order}")
            .and_then(|()| self.orders.flush())
            .map_err(|_| "it has ended".to_string())?;
        // It warms up, compiles and times in several ways.
        let patience = 60.0 + 4.0 * (seconds + limit);
        let answer = self.answer(Duration::from_secs_f64(patience))?;
        if let Some(why) = answer["refused"].as_str() {
            return Err(why.to_string());
        }
        let ways = answer.as_object().ok_or("its answer is no object")?;
        ways.iter().map(|(way, told)| Ok((way.clone(), seen(told)?))).collect()
    }

    fn answer(&mut self, patience: Duration) -> Result<Value, String> {
        match self.answers.recv_timeout(patience) {
            Ok(line) => serde_json::from_str(&line)
                .map_err(|_| format!("its answer is no JSON: {line:?}")),
            Err(RecvTimeoutError::Disconnected) => {
                let ended = self.child.wait();
                Err(ended.map_or("it has ended".to_string(), |status| {
                    format!("it has ended, {status}")
                }))
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                Err(format!("no answer in {} s", patience.as_secs()))
            }
        }
    }
}

/// It ends when its orders do, or now.
impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Promise: `cargo learn bench` ends a peer that stops answering.
    #[test]
    fn a_peer_that_goes_silent_is_ended() {
        let script = r#"sh -c 'echo "{\"peer\": \"a\"}"; exec sleep 100'"#;
        let place = Place { device: "cpu".into(), threads: 1 };
        let mut peer =
            Peer::start(&Source::Program(script.into()), &place).unwrap();
        let silent = peer.answer(Duration::from_millis(20));
        assert_eq!(silent, Err("no answer in 0 s".to_string()));
        let ended = peer.child.wait().expect("it can be waited for");
        assert!(!ended.success(), "{ended}");
        let gone = peer.answer(Duration::from_secs(60)).unwrap_err();
        assert!(gone.starts_with("it has ended, "), "{gone}");
    }
}
