//! Compares a run with an earlier one and finds rows that became slower.
//!
//! The speed of a machine varies from day to day. If a peer was timed in both
//! runs, a row counts as slower only if it also became slower relative to the
//! peer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rungrad::Error;
use serde_json::Value;

use crate::machine::Machine;
use crate::report::{FORMAT, Line, Other, format_ratio, format_time};

/// The part of an earlier run that is compared.
#[derive(Debug)]
pub(crate) struct Baseline {
    file: PathBuf,
    model: String,
    threads: u64,
    date: String,
    /// Our time in seconds, by the name of the row.
    rows: BTreeMap<String, Earlier>,
}

#[derive(Debug)]
struct Earlier {
    ours: f64,
    others: Vec<(Other, f64)>,
}

/// The result of a comparison.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Compared {
    pub(crate) slower: Vec<String>,
    pub(crate) faster: Vec<String>,
    /// The number of rows that both runs contain.
    pub(crate) rows: usize,
}

impl Baseline {
    pub(crate) fn read(file: &Path) -> Result<Baseline, Error> {
        let bytes = fs::read(file).map_err(|error| {
            Error::File(format!("cannot read {}: {error}", file.display()))
        })?;
        let damaged = |what: &str| {
            Error::File(format!(
                "{} is no table of `cargo learn bench`: {what}; make a new \
                 one, which every run does",
                file.display()
            ))
        };
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(&format!("it is no JSON ({error})")))?;
        match value["format"].as_u64() {
            Some(FORMAT) => {}
            Some(other) => {
                return Err(damaged(&format!(
                    "its format is {other}, not {FORMAT}"
                )));
            }
            None => return Err(damaged("it has no \"format\"")),
        }
        let machine = &value["machine"];
        let word = |key: &str| {
            let word = machine[key].as_str().map(str::to_string);
            word.ok_or_else(|| damaged(&format!("its machine has no {key:?}")))
        };
        let rows = value["rows"].as_array();
        let rows = rows.ok_or_else(|| damaged("it has no \"rows\""))?;
        let rows = rows.iter().map(earlier).collect::<Option<_>>();
        Ok(Baseline {
            file: file.to_path_buf(),
            model: word("model")?,
            threads: machine["threads"].as_u64().unwrap_or(0),
            date: word("date")?,
            rows: rows.ok_or_else(|| damaged("a row has no name or time"))?,
        })
    }

    /// Rejects a baseline from a different device, because the times would not
    /// be comparable.
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), Error> {
        let threads = machine.threads as u64;
        if self.model == machine.model && self.threads == threads {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{} was measured on {} with {} threads, and this is {} with \
             {threads}: compare runs on one device",
            self.file.display(),
            self.model,
            self.threads,
            machine.model,
        )))
    }

    /// Finds the rows that take more than `noise` times as long as before, or
    /// less than `1 / noise` times.
    pub(crate) fn compare(&self, lines: &[Line], noise: f64) -> Compared {
        let mut compared = Compared::default();
        for line in lines {
            let name = line.name();
            let Some(earlier) = self.rows.get(&name) else { continue };
            compared.rows += 1;
            let ours = line.ours.median / earlier.ours;
            // The change of the peers' times shows the change of the machine.
            let theirs: Vec<f64> = earlier
                .others
                .iter()
                .filter_map(|(other, time)| {
                    Some(line.other(other)?.median / time)
                })
                .collect();
            let is = |slower: bool| {
                let beyond = |ratio: f64| match slower {
                    true => ratio > noise,
                    false => ratio < 1.0 / noise,
                };
                beyond(ours) && theirs.iter().all(|it| beyond(ours / it))
            };
            let told = format!(
                "{name}: {} before, {} now, {}",
                format_time(earlier.ours),
                format_time(line.ours.median),
                format_ratio(ours)
            );
            if is(true) {
                compared.slower.push(told);
            } else if is(false) {
                compared.faster.push(told);
            }
        }
        compared
    }

    /// Prints the comparison and returns the number of rows that became
    /// slower.
    pub(crate) fn tell(&self, lines: &[Line], noise: f64) -> usize {
        let Compared { slower, faster, rows } = self.compare(lines, noise);
        println!(
            "\nbeside {} of {}: {rows} of {} rows stand in both; {} took more \
             than {noise} times as long, {} less than 1 / {noise}",
            self.file.display(),
            self.date,
            lines.len(),
            slower.len(),
            faster.len(),
        );
        for (word, rows) in [("slower", &slower), ("faster", &faster)] {
            rows.iter().for_each(|row| println!("  {word}  {row}"));
        }
        slower.len()
    }
}

fn earlier(row: &Value) -> Option<(String, Earlier)> {
    let median = |times: &Value| {
        times["median"].as_f64().filter(|it| it.is_finite() && *it > 0.0)
    };
    let mut others = vec![];
    for (engine, ways) in row["others"].as_object()? {
        for (way, times) in ways.as_object()? {
            others.push((Other::new(engine, way), median(times)?));
        }
    }
    let ours = median(&row["seconds"])?;
    Some((row["name"].as_str()?.to_string(), Earlier { ours, others }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::copy;
    use crate::report::Times;

    const NAME: &str = "copy 1000";

    fn eager() -> Other {
        Other::new("PyTorch", "eager")
    }

    fn baseline(ours: f64, other: Option<f64>) -> Baseline {
        let others = other.map(|time| (eager(), time)).into_iter().collect();
        let row = (NAME.to_string(), Earlier { ours, others });
        let (model, date) = ("a".to_string(), "then".to_string());
        let rows = BTreeMap::from([row]);
        Baseline { file: "old.json".into(), model, threads: 2, date, rows }
    }

    fn line(ours: f64, other: f64) -> Line {
        let times = |seconds| Times::new(vec![seconds]);
        Line {
            work: copy(1000),
            ours: times(ours),
            counts: None,
            fused: None,
            others: vec![(eager(), times(other))],
            refused: BTreeMap::new(),
        }
    }

    fn slower(before: Baseline, now: Line) -> [usize; 2] {
        let found = before.compare(&[now], 1.3);
        assert_eq!(found.rows, 1);
        [found.slower.len(), found.faster.len()]
    }

    #[test]
    fn a_time_beyond_the_noise_is_slower() {
        assert_eq!(slower(baseline(1.0, None), line(1.31, 1.0)), [1, 0]);
        assert_eq!(slower(baseline(1.0, None), line(1.29, 1.0)), [0, 0]);
        assert_eq!(slower(baseline(1.0, None), line(0.7, 1.0)), [0, 1]);
    }

    /// Promise: `cargo learn bench --baseline` reports no slowdown if the
    /// peers slowed down, too.
    #[test]
    fn a_slow_machine_is_not_a_slowdown() {
        assert_eq!(slower(baseline(1.0, Some(1.0)), line(2.0, 2.0)), [0, 0]);
        assert_eq!(slower(baseline(1.0, Some(1.0)), line(2.0, 1.0)), [1, 0]);
        assert_eq!(slower(baseline(1.0, Some(2.0)), line(0.5, 1.0)), [0, 0]);
    }

    #[test]
    fn rows_of_different_sizes_are_not_compared() {
        let now = Line { work: copy(1001), ..line(9.0, 1.0) };
        let found = baseline(1.0, None).compare(&[now], 1.3);
        assert_eq!(found, Compared::default());
    }
}
