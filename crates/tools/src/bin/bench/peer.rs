//! Runs the same work on other engines. A peer is a child process that lives
//! as long as the benchmark. Its first line identifies it, and it answers each
//! row with its times. Each message is one line of JSON:
//! ```text
//! {"peer": "PyTorch", "version": "2.11.0", "on": "NVIDIA H200"}
//! > {"row": "matmul 64", "work": "matmul", "sizes": [1, 64, 64, 64, 0, 0],
//! >  "seconds": 0.1, "limit": 10.0}
//! {"eager": [1.1e-05, 1.2e-05], "graph": [7.0e-06]}
//! ```
//!
//! If the peer lacks the operation, its answer is empty. A peer that cannot
//! run here prints `{"missing": "why"}`, and one that cannot run a row answers
//! `{"refused": "why"}`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, thread};

use rungrad::part3_unified::Device;
use serde_json::{Value, json};

use crate::work::Work;

/// The peers in Python, embedded because the program may run without a
/// checkout.
const SCRIPT: &str = include_str!("../../../../../benches/peers/rows.py");

/// The time limit for starting a peer, because PyTorch reads gigabytes.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Where a peer runs, for its command line.
pub(crate) struct Place {
    /// `cpu`, or the name of a card.
    pub(crate) device: String,
    pub(crate) threads: usize,
    /// The device of our engine. CLBlast uses the OpenCL device with the same
    /// index.
    pub(crate) ours: Device,
}

/// Where the program of a peer comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A Python package, by its name in the script.
    Python(&'static str),
    /// A program of this project, which must be built first.
    Built(&'static str),
    /// Any program with the same protocol.
    Program(String),
}

impl Source {
    /// Returns what to do if the peer is missing.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Source::Python("clblast") => {
                "it needs python3, libclblast.so.1 (on Debian: apt-get install \
                 libclblast1) and an OpenCL device (--device gpu)"
            }
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
        let Place { device, threads, ours } = place;
        command.args([device, &threads.to_string(), &ours.to_string()]);
        for library in ["OMP", "OPENBLAS", "MKL", "RAYON"] {
            let variable = format!("{library}_NUM_THREADS");
            command.env(variable, place.threads.to_string());
        }
        command
    }
}

/// The times of a row for each execution mode of a peer, or why a mode failed.
type Modes = BTreeMap<String, Result<Vec<f64>, String>>;

fn parse_times(told: &Value) -> Result<Result<Vec<f64>, String>, String> {
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

/// All times that a peer has reported for a row.
#[derive(Default)]
pub(crate) struct RowTimes {
    pub(crate) times: BTreeMap<String, Vec<f64>>,
    /// The failed modes with their reasons. The key "" is the row itself.
    pub(crate) refused: BTreeMap<String, String>,
}

impl RowTimes {
    /// Requests times for a further round, unless the peer cannot run the row.
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
            .unwrap_or_else(|why| Modes::from([(String::new(), Err(why))]));
        for (way, told) in ways {
            match told {
                Ok(times) => self.times.entry(way).or_default().extend(times),
                Err(why) => _ = self.refused.insert(way, why),
            }
        }
    }
}

/// A running peer.
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The device that it reports.
    pub(crate) on: String,
    child: Child,
    orders: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    /// Starts a peer, or returns why it is missing.
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
        let greeting = peer.answer(START_LIMIT)?;
        if let Some(why) = greeting["missing"].as_str() {
            return Err(why.to_string());
        }
        let word = |key: &str| greeting[key].as_str().map(str::to_string);
        peer.name = word("peer").ok_or("it does not say who it is")?;
        peer.version = word("version").unwrap_or_default();
        peer.on = word("on").unwrap_or_default();
        Ok(peer)
    }

    /// Requests the times of a row, or returns why there are none. A peer that
    /// does not answer is killed and gets no further requests.
    fn times(
        &mut self,
        row: &Work,
        seconds: f64,
        limit: f64,
    ) -> Result<Modes, String> {
        let order = json!({
            "row": row.to_string(), "work": row.kind, "sizes": row.sizes,
            "seconds": seconds, "limit": limit,
        });
        writeln!(self.orders, "{order}")
            .and_then(|()| self.orders.flush())
            .map_err(|_| "it has ended".to_string())?;
        // The peer warms up, compiles, and times several modes.
        let patience = 60.0 + 4.0 * (seconds + limit);
        let answer = self.answer(Duration::from_secs_f64(patience))?;
        if let Some(why) = answer["refused"].as_str() {
            return Err(why.to_string());
        }
        let ways = answer.as_object().ok_or("its answer is no object")?;
        ways.iter()
            .map(|(way, told)| Ok((way.clone(), parse_times(told)?)))
            .collect()
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

/// The peer ends when its input closes, or is killed now.
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
    fn a_silent_peer_is_killed() {
        let script = r#"sh -c 'echo "{\"peer\": \"a\"}"; exec sleep 100'"#;
        let place =
            Place { device: "cpu".into(), threads: 1, ours: Device::Cpu };
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
