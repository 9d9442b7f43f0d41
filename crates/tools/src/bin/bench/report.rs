//! The results: the lines of the table, and everything as JSON.

use std::collections::BTreeMap;

use rungrad::ledger::Counts;
use rungrad::stopwatch::Seconds;
use serde_json::{Value, json};

use crate::machine::Machine;
use crate::work::Work;

/// The version of the JSON format.
pub(crate) const FORMAT: u64 = 1;

/// The distribution of the times of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    pub(crate) median: f64,
    /// The first and the third quartile.
    pub(crate) quartiles: [f64; 2],
    /// The number of measurements.
    pub(crate) looks: usize,
}

impl Times {
    /// Summarizes the times, of which there must be at least one.
    pub(crate) fn new(mut times: Vec<f64>) -> Times {
        times.sort_by(f64::total_cmp);
        let at = |share: usize| times[(times.len() - 1) * share / 4];
        let (looks, quartiles) = (times.len(), [at(1), at(3)]);
        Times { median: at(2), quartiles, looks }
    }

    fn json(self) -> Value {
        json!({
            "median": self.median,
            "quartiles": self.quartiles,
            "looks": self.looks,
        })
    }
}

/// The results of a row.
pub(crate) struct Line {
    pub(crate) work: Work,
    pub(crate) ours: Times,
    /// The costs of a run on a device; `None` on the processor.
    pub(crate) counts: Option<Counts>,
    /// The same on the lazy device, if requested.
    pub(crate) fused: Option<(Times, Counts)>,
    /// The times of the other engines, by execution mode.
    pub(crate) others: Vec<(Other, Times)>,
    /// The engines without times, and the reasons.
    pub(crate) refused: BTreeMap<String, String>,
}

/// A different engine and one of its execution modes: `PyTorch` and `graph`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Other {
    pub(crate) engine: String,
    pub(crate) way: String,
}

impl Other {
    pub(crate) fn new(engine: &str, way: &str) -> Other {
        Other { engine: engine.to_string(), way: way.to_string() }
    }
}

impl Line {
    pub(crate) fn add(&mut self, engine: &str, way: &str, times: Vec<f64>) {
        self.others.push((Other::new(engine, way), Times::new(times)));
    }

    pub(crate) fn name(&self) -> String {
        self.work.to_string()
    }

    pub(crate) fn other(&self, wanted: &Other) -> Option<Times> {
        let found = self.others.iter().find(|(other, _)| other == wanted);
        found.map(|(_, times)| *times)
    }

    /// Returns our time, on the lazy device if it was requested.
    fn last(&self) -> f64 {
        self.fused.map_or(self.ours, |fused| fused.0).median
    }

    /// Returns the fastest time of all engines, including ours.
    pub(crate) fn least(&self) -> f64 {
        let others = self.others.iter().map(|(_, times)| times.median);
        others.fold(self.ours.median, f64::min)
    }

    fn json(&self) -> Value {
        let mut others = json!({});
        for (Other { engine, way }, times) in &self.others {
            others[engine][way] = times.json();
        }
        let fused = self.fused.map(|(times, all)| {
            json!({ "seconds": times.json(), "counts": counts(all) })
        });
        json!({
            "name": self.name(),
            "sizes": self.work.sizes,
            "seconds": self.ours.json(),
            "counts": self.counts.map(counts),
            "fused": fused,
            "bytes": self.work.bytes,
            "operations": self.work.operations,
            "others": others,
            "refused": self.refused,
        })
    }
}

fn counts(counts: Counts) -> Value {
    json!({
        "launches": counts.launches,
        "builds": counts.builds,
        "waits": counts.waits,
        "allocations": counts.allocations,
        "bytes_reached": counts.bytes_reached,
        "products": counts.products,
        "bytes_to_device": counts.bytes_to_device,
        "bytes_to_host": counts.bytes_to_host,
    })
}

/// The highest throughput of a device that was measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Bytes per second, each read and written once.
    pub(crate) bytes: Option<f64>,
    /// Additions and multiplications per second, in a matmul.
    pub(crate) operations: Option<f64>,
}

impl Limits {
    /// Returns the best results of all engines in this run.
    pub(crate) fn measured(lines: &[Line]) -> Limits {
        let most = |kind: &str, amount: fn(&Work) -> Option<f64>| {
            let lines = lines.iter().filter(|line| line.work.kind == kind);
            let rates =
                lines.filter_map(|l| Some(amount(&l.work)? / l.least()));
            rates.max_by(f64::total_cmp)
        };
        Limits {
            bytes: most("copy", |work| work.bytes),
            operations: most("matmul", |work| work.operations),
        }
    }
}

/// All results of a run.
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) lines: Vec<Line>,
    /// Rows that were left out, and why.
    pub(crate) skipped: BTreeMap<String, String>,
}

impl Report {
    pub(crate) fn json(&self) -> String {
        let limits = Limits::measured(&self.lines);
        let lines: Vec<Value> = self.lines.iter().map(Line::json).collect();
        let all = json!({
            "format": FORMAT,
            "machine": self.machine.json(),
            "limits": {
                "bytes_per_second": limits.bytes,
                "operations_per_second": limits.operations,
            },
            "rows": lines,
            "skipped": self.skipped,
        });
        format!("{all:#}\n")
    }
}

/// The columns of the table.
pub(crate) struct Table {
    /// Whether there are two columns for the lazy device.
    pub(crate) fused: bool,
    /// The other engines, one column for each execution mode.
    pub(crate) others: Vec<Other>,
}

impl Table {
    pub(crate) fn head(&self) -> String {
        let mut line = format!(
            "{:<29} {:>9} {:>8} {:>12}",
            "row", "part 3", "launches", "rate"
        );
        if self.fused {
            line += &format!(" {:>9} {:>8}", "fused", "launches");
        }
        for Other { engine, way } in &self.others {
            let title = match way.as_str() {
                "eager" => engine.clone(),
                way => format!("{engine} {way}"),
            };
            line += &format!(" {title:>16}");
        }
        line
    }

    /// Formats our times and those of the other engines. Each of these is
    /// followed by our last time divided by it.
    pub(crate) fn line(&self, line: &Line) -> String {
        let launches = match line.counts {
            Some(counts) => counts.launches.to_string(),
            None => "-".to_string(),
        };
        let mut text = format!(
            "{:<29} {:>9} {launches:>8} {:>12}",
            line.name(),
            format_time(line.ours.median),
            rate(line)
        );
        if let Some((times, counts)) = &line.fused {
            let time = format_time(times.median);
            text += &format!(" {time:>9} {:>8}", counts.launches);
        }
        for column in &self.others {
            text += &match line.other(column) {
                Some(times) => {
                    let ratio = line.last() / times.median;
                    format!(
                        " {:>8} {:>7}",
                        format_time(times.median),
                        format_ratio(ratio)
                    )
                }
                None => format!(" {:>8} {:>7}", "-", ""),
            };
        }
        for (other, times) in &line.others {
            if !self.others.contains(other) {
                let Other { engine, way } = other;
                let ratio = format_ratio(line.last() / times.median);
                let time = format_time(times.median);
                text += &format!("\n    {engine} {way}: {time}, {ratio}");
            }
        }
        for (engine, why) in &line.refused {
            text += &format!("\n    {engine}: {why}");
        }
        text
    }
}

/// Formats a time with about three digits.
pub(crate) fn format_time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-5 => format!("{:.2} \u{b5}s", s * 1e6),
        s if s < 1e-3 => Seconds(s).to_string(),
        s if s < 1e-2 => format!("{:.2} ms", s * 1e3),
        s => Seconds(s).to_string(),
    }
}

/// Formats a ratio of times.
pub(crate) fn format_ratio(ratio: f64) -> String {
    match ratio {
        _ if ratio < 0.1 => format!("{ratio:.3} x"),
        _ if ratio < 10.0 => format!("{ratio:.2} x"),
        _ => format!("{ratio:.0} x"),
    }
}

fn rate(line: &Line) -> String {
    let seconds = line.ours.median;
    let told = match line.work.is_arithmetic {
        true => line.work.operations.map(|it| (it, "FLOP/s")),
        false => line.work.bytes.map(|it| (it, "B/s")),
    };
    let Some((amount, unit)) = told else { return "-".to_string() };
    match amount / seconds {
        rate if rate >= 1e12 && unit == "FLOP/s" => {
            format!("{:.2} T{unit}", rate * 1e-12)
        }
        // For few elements, the launch dominates the time.
        rate if rate < 1e8 => "-".to_string(),
        rate => format!("{:.*} G{unit}", usize::from(rate < 1e11), rate * 1e-9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::copy;

    pub(crate) fn line(seconds: f64, other: f64) -> Line {
        let eager = Other::new("PyTorch", "eager");
        let graph = Other { way: "graph".into(), ..eager.clone() };
        let times = |seconds| Times::new(vec![seconds]);
        Line {
            work: copy(1_000_000),
            ours: times(seconds),
            counts: Some(Counts { launches: 3, ..Counts::default() }),
            fused: None,
            others: vec![(eager, times(other)), (graph, times(other / 2.0))],
            refused: BTreeMap::from([("numpy".into(), "it is tired".into())]),
        }
    }

    #[test]
    fn a_line_shows_all_modes_and_failures() {
        let line = line(2e-3, 1e-3);
        let others = vec![line.others[0].0.clone()];
        let table = Table { fused: false, others };
        let text = table.line(&line);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(lines[0].starts_with("copy 10^6 "), "{text}");
        assert!(lines[0].ends_with("3     4.0 GB/s  1.00 ms  2.00 x"));
        assert_eq!(lines[1], "PyTorch graph: 500.0 \u{b5}s, 4.00 x");
        assert_eq!(lines[2], "numpy: it is tired");
    }

    #[test]
    fn a_line_shows_the_lazy_device() {
        let counts = Counts { launches: 1, ..Counts::default() };
        let fused = Some((Times::new(vec![5e-4]), counts));
        let line = Line { fused, ..line(2e-3, 1e-3) };
        let table = Table { fused: true, others: vec![] };
        let [head, text] = [table.head(), table.line(&line)];
        assert!(head.ends_with("rate     fused launches"), "{head}");
        let first = text.lines().next().unwrap_or_default();
        assert!(first.ends_with("GB/s  500.0 \u{b5}s        1"), "{text}");
        assert_eq!(head.len() + 1, first.len());
    }

    #[test]
    fn a_limit_is_the_best_of_all_engines() {
        let limits = Limits::measured(&[line(2e-3, 1e-3), line(4e-3, 8e-3)]);
        assert_eq!(limits.bytes, Some(8e6 / 0.5e-3));
        assert_eq!(limits.operations, None);
    }

    #[test]
    fn quartiles_enclose_the_median() {
        let times = Times::new(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((times.median, times.quartiles), (3.0, [2.0, 4.0]));
        assert_eq!(Times::new(vec![7.0]).quartiles, [7.0, 7.0]);
    }

    #[test]
    fn times_have_about_three_digits() {
        for (seconds, words) in [
            (2.1e-7, "210 ns"),
            (4.56e-6, "4.56 \u{b5}s"),
            (2.34e-5, "23.4 \u{b5}s"),
            (1.384e-3, "1.38 ms"),
            (5.38e-2, "53.8 ms"),
            (2.0, "2.0 s"),
        ] {
            assert_eq!(format_time(seconds), words);
        }
    }
}
