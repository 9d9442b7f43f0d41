//! Formats a timeline as text for the terminal.

use std::collections::{BTreeMap, BTreeSet};

use super::{Slice, Timeline, Times};
use crate::draw::table;
use crate::stopwatch::median;

/// The number of characters in a bar.
const BAR_LEN: usize = 18;
/// The maximum number of lines with single calls; the table at the end covers
/// the rest too.
const MAX_LINES: usize = 40;
/// The bars shorten idle times of all devices to this fraction of the busy
/// time: next to a compilation of 100 ms, a kernel of 10 µs would not be
/// visible.
const IDLE_FRACTION: u64 = 24;

impl Timeline {
    /// Formats one line per call with a bar: `-` while the host is in the
    /// call, `.` while the work waits in the queue, `=` while the device works
    /// on it. A table of medians follows if something ran more than once, and
    /// then the list of fused operations.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, name) in &self.devices {
            text += &format!("gpu:{index} is {name}\n");
        }
        let scale = Scale::new(&self.slices);
        let head = [
            "asked for",
            "",
            "at µs",
            "call µs",
            "wait µs",
            "work µs",
            "- call . wait = work",
        ];
        let rows = self.slices.iter().take(MAX_LINES).map(|slice| {
            let micros = |what: fn(&Times) -> u64| {
                slice.times.as_ref().map_or("-".to_string(), |t| micro(what(t)))
            };
            let name = match self.devices.len() {
                0 | 1 => slice.name.clone(),
                _ => format!("gpu:{} {}", slice.device, slice.name),
            };
            [
                name,
                slice.amount.clone(),
                micro(slice.call[0]),
                micro(slice.call[1] - slice.call[0]),
                micros(Times::waited),
                micros(Times::ran),
                scale.bar(slice),
            ]
        });
        text += &aligned(head, rows.collect());
        let more = self.slices.len().saturating_sub(MAX_LINES);
        if more > 0 {
            text += &format!("and {more} more, which --trace FILE keeps\n");
        }
        text + &self.medians() + &self.fused()
    }

    /// Lists the kernels generated at run time with the operations that each
    /// contains, one line per shape.
    pub fn fused(&self) -> String {
        let mut told = BTreeSet::new();
        let mut text = String::new();
        for slice in &self.slices {
            let Some(holds) = &slice.holds else { continue };
            if told.insert((&slice.name, holds)) {
                let lines = holds.split("; ");
                let lines = lines.map(|line| format!("    {line}\n"));
                let first = if text.is_empty() { "\n" } else { "" };
                text += &format!("{first}{} holds\n", slice.name);
                text.extend(lines);
            }
        }
        text
    }

    /// Formats a table of everything that ran more than once, with the number
    /// of runs and the times.
    fn medians(&self) -> String {
        let mut by_name: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for slice in &self.slices {
            let times = slice.times.iter();
            let name = by_name.entry(&slice.name).or_default();
            name.extend(times.map(|t| t.ran() as f64 / 1000.0));
        }
        by_name.retain(|_, times| times.len() > 1);
        if by_name.is_empty() {
            return String::new();
        }
        let mut by_time: Vec<(&str, f64, Vec<f64>)> = by_name
            .into_iter()
            .map(|(name, times)| (name, times.iter().sum(), times))
            .collect();
        by_time.sort_by(|a, b| b.1.total_cmp(&a.1));
        let head = ["asked for", "times", "median work µs", "all µs"];
        let rows = by_time.into_iter().map(|(name, all, times)| {
            [
                name.to_string(),
                times.len().to_string(),
                format!("{:.1}", median(times)),
                format!("{all:.1}"),
            ]
        });
        "\n".to_string() + &aligned(head, rows.collect())
    }
}

/// Formats nanoseconds as microseconds.
fn micro(nanoseconds: u64) -> String {
    format!("{:.1}", nanoseconds as f64 / 1000.0)
}

/// Aligns the columns: text to the left, numbers to the right.
fn aligned<const N: usize>(
    head: [&str; N],
    mut rows: Vec<[String; N]>,
) -> String {
    rows.insert(0, head.map(str::to_string));
    for column in 0..N {
        let is_number = |row: &[String; N]| {
            row[column] == "-" || row[column].parse::<f64>().is_ok()
        };
        if !rows[1..].iter().all(is_number) {
            continue;
        }
        let width = |row: &[String; N]| row[column].chars().count();
        let widest = rows.iter().map(width).max().unwrap_or(0);
        for row in &mut rows {
            row[column] = format!("{:>widest$}", row[column]);
        }
    }
    table(&rows)
}

/// Maps times to characters of a bar.
struct Scale {
    /// The intervals in which a device is busy: begin, end, and where the
    /// interval begins on the shortened axis.
    busy: Vec<[u64; 3]>,
    whole: u64,
}

impl Scale {
    fn new(slices: &[Slice]) -> Scale {
        let times = slices.iter().filter_map(|slice| slice.times);
        let mut spans: Vec<_> = times.map(|t| [t.queued, t.ended]).collect();
        spans.sort();
        let mut busy: Vec<[u64; 3]> = vec![];
        for [from, to] in spans {
            match busy.last_mut() {
                Some(last) if from <= last[1] => last[1] = last[1].max(to),
                _ => busy.push([from, to, 0]),
            }
        }
        let all: u64 = busy.iter().map(|[from, to, _]| to - from).sum();
        let (mut place, mut end) = (0, None::<u64>);
        for [from, to, start] in &mut busy {
            place +=
                end.map_or(0, |end| (*from - end).min(all / IDLE_FRACTION));
            *start = place;
            place += *to - *from;
            end = Some(*to);
        }
        Scale { busy, whole: place.max(1) }
    }

    /// Returns the number of characters before a time.
    fn place(&self, moment: u64) -> usize {
        let after = self.busy.partition_point(|s| s[0] <= moment);
        let Some([from, to, start]) = self.busy[..after].last() else {
            return 0;
        };
        let along = u128::from(start + moment.min(*to) - from);
        (along * BAR_LEN as u128 / u128::from(self.whole)) as usize
    }

    fn bar(&self, slice: &Slice) -> String {
        let mut bar = [' '; BAR_LEN];
        // Every event gets at least one character, however short it was.
        let mut draw = |from: u64, to: u64, ink: char| {
            let from = self.place(from).min(BAR_LEN - 1);
            bar[from..self.place(to).max(from + 1)].fill(ink);
        };
        draw(slice.call[0], slice.call[1], '-');
        if let Some(times) = slice.times {
            draw(times.queued, times.started, '.');
            draw(times.started, times.ended, '=');
        }
        format!("|{}|", bar.iter().collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::SliceKind;

    /// Creates two launches, of which the second waits for the first, and a
    /// read.
    fn two_launches() -> Timeline {
        let launch = |call, times: [u64; 4]| Slice {
            kind: SliceKind::Launch,
            name: "ew_mul".to_string(),
            amount: "4 x 256".to_string(),
            bytes: 0,
            device: 0,
            thread: 0,
            part: None,
            holds: None,
            call,
            times: Some(Times {
                queued: times[0],
                submitted: times[1],
                started: times[2],
                ended: times[3],
            }),
        };
        let read = Slice {
            kind: SliceKind::Read,
            name: "read".to_string(),
            amount: "4.0 KiB".to_string(),
            bytes: 4096,
            ..launch([13_000, 26_000], [14_000, 14_000, 22_000, 26_000])
        };
        Timeline {
            devices: vec![(0, "a device".to_string())],
            slices: vec![
                launch([0, 2_000], [0, 1_000, 2_000, 12_000]),
                launch([2_000, 3_000], [2_000, 3_000, 12_000, 22_000]),
                read,
            ],
        }
    }

    #[test]
    fn each_call_has_a_line_and_a_bar_on_the_time_axis() {
        let expected = "\
gpu:0 is a device
asked for           at µs  call µs  wait µs  work µs  - call . wait = work
ew_mul     4 x 256    0.0      2.0      2.0     10.0  |.=======          |
ew_mul     4 x 256    2.0      1.0     10.0     10.0  | .......=======   |
read       4.0 KiB   13.0     13.0      8.0      4.0  |         ......===|

asked for  times  median work µs  all µs
ew_mul         2            10.0    20.0
";
        pretty_assertions::assert_eq!(two_launches().text(), expected);
    }

    #[test]
    fn each_generated_kernel_lists_its_operations_once() {
        let mut timeline = two_launches();
        for slice in &mut timeline.slices[..2] {
            slice.name = "fused_add_sum".to_string();
            slice.holds = Some("add [4, 2]; sum [4]".to_string());
        }
        timeline.slices.push(Slice {
            holds: Some("add [4, 3]; sum [4]".to_string()),
            ..timeline.slices[0].clone()
        });
        let expected = "
fused_add_sum holds
    add [4, 2]
    sum [4]
fused_add_sum holds
    add [4, 3]
    sum [4]
";
        pretty_assertions::assert_eq!(timeline.fused(), expected);
        assert!(timeline.text().ends_with(expected));
        assert_eq!(two_launches().fused(), "");
    }

    #[test]
    fn idle_times_are_shortened_in_the_bars() {
        let mut timeline = two_launches();
        let late = &mut timeline.slices[2];
        let times = late.times.as_mut().expect("a read");
        for moment in [
            &mut times.queued,
            &mut times.submitted,
            &mut times.started,
            &mut times.ended,
        ] {
            *moment += 1_000_000_000;
        }
        late.call = late.call.map(|moment| moment + 1_000_000_000);
        let text = timeline.text();
        assert!(text.contains("1000013.0"), "{text}");
        assert!(text.contains("|.=====            |"), "{text}");
        let read = text.lines().find(|line| line.starts_with("read"));
        assert!(read.is_some_and(|read| read.ends_with("=|")), "{text}");
        let second = Scale::new(&timeline.slices).busy[1];
        assert_eq!(
            second[2],
            22_000 + 34_000 / IDLE_FRACTION,
            "a nap, and no more"
        );
    }

    #[test]
    fn overlapping_launches_keep_their_lengths() {
        let mut timeline = two_launches();
        timeline.slices.truncate(2);
        let (outer, inner) = ([0, 0, 0, 20_000], [2_000, 2_000, 2_000, 4_000]);
        for (slice, moments) in timeline.slices.iter_mut().zip([outer, inner]) {
            let [queued, submitted, started, ended] = moments;
            slice.call = [queued, queued];
            slice.times = Some(Times { queued, submitted, started, ended });
        }
        let text = timeline.text();
        assert!(text.contains("|==================|"), "{text}");
        assert!(text.contains("| ==               |"), "{text}");
    }

    #[test]
    fn a_long_timeline_is_truncated_and_shows_medians() {
        let mut timeline = two_launches();
        let first = timeline.slices[0].clone();
        timeline.slices.resize(MAX_LINES + 5, first);
        let text = timeline.text();
        assert_eq!(text.matches("4.0 KiB").count(), 1);
        assert!(text.contains("and 5 more, which --trace FILE keeps"));
        assert!(text.contains("ew_mul        44            10.0"), "{text}");
    }

    #[test]
    fn lines_name_the_device_if_there_are_several() {
        let mut timeline = two_launches();
        timeline.devices.push((1, "another".to_string()));
        timeline.slices[1].device = 1;
        let text = timeline.text();
        assert!(text.contains("gpu:1 is another\n"), "{text}");
        assert!(text.contains("\ngpu:0 ew_mul"), "{text}");
        assert!(text.contains("\ngpu:1 ew_mul"), "{text}");
    }

    #[test]
    fn only_numeric_columns_are_right_aligned() {
        let rows = [["a word", "10"], ["7", "8"]];
        let rows = rows.map(|row| row.map(String::from)).to_vec();
        let expected = "head     n\na word  10\n7        8\n";
        assert_eq!(aligned(["head", "n"], rows), expected);
    }

    #[test]
    fn host_calls_have_no_device_times() {
        let mut timeline = two_launches();
        timeline.slices[0].times = None;
        let text = timeline.text();
        assert!(text.contains("2.0        -        -"), "{text}");
        // No device is busy yet, so the bar is at the beginning.
        assert!(text.contains("|-                 |"), "{text}");
    }
}
