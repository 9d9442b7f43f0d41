//! The work of each part of a program, as a table.

use std::time::Duration;

use crate::draw::table;
use crate::timeline::Timeline;

/// Work done in one direction, forward or backward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations of Part 3.
    pub operations: u64,
    /// Kernel launches.
    pub launches: u64,
    /// Bytes of buffers within the reach of these kernels.
    pub bytes: u64,
    /// Scalar multiplications in matrix products and convolutions.
    pub products: u64,
    /// Time spent on the host.
    pub host: Duration,
}

/// A part of a program, with its work in the forward and the backward pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The names of its scopes, outermost first: `blocks.0.attention`. Empty
    /// for work outside of scopes.
    pub name: String,
    /// Work in its scope.
    pub forward: Work,
    /// Work in the gradients of the operations that were recorded in its
    /// scope.
    pub backward: Work,
}

/// The parts of a watched program, in the order of their first use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The first part holds the work outside of scopes.
    pub list: Vec<Part>,
}

impl Parts {
    /// Merges parts whose names begin with the same `depth` components.
    pub fn joined(&self, depth: usize) -> Parts {
        let mut joined = Parts::default();
        for part in &self.list {
            let name = shortened(&part.name, depth);
            let known = joined.list.iter_mut().find(|it| it.name == name);
            match known {
                Some(known) => {
                    known.forward.add(part.forward);
                    known.backward.add(part.backward);
                }
                None => joined
                    .list
                    .push(Part { name: name.to_string(), ..part.clone() }),
            }
        }
        joined
    }

    /// Formats a table of the counts of each part, forward and backward. The
    /// counts are exact and the same in every run. Parts without any are
    /// omitted.
    pub fn text(&self) -> String {
        let head = [
            "part",
            "ops",
            "back",
            "launches",
            "back",
            "KB reached",
            "back",
            "products",
            "back",
        ];
        let mut all = Part { name: "all".to_string(), ..Part::default() };
        let mut rows = vec![head.map(str::to_string)];
        let did = |part: &&Part| !part.forward.idle() || !part.backward.idle();
        for part in self.list.iter().filter(did) {
            all.forward.add(part.forward);
            all.backward.add(part.backward);
            rows.push(row(part));
        }
        rows.push(row(&all));
        aligned(rows)
    }

    /// Formats a table of times in microseconds: the host's time in each part,
    /// forward and backward, and the time that the devices of a timeline
    /// worked for it.
    pub fn times(&self, timeline: &Timeline) -> String {
        let head = ["part", "host µs", "back", "device µs"];
        let mut rows = vec![head.map(str::to_string)];
        for part in &self.list {
            let slices = timeline.slices.iter();
            let its = slices.filter(|it| it.part.as_ref() == Some(&part.name));
            let ran: u64 =
                its.filter_map(|it| it.times).map(|times| times.ran()).sum();
            let micro = |time: Duration| format!("{}", time.as_micros());
            rows.push([
                called(part),
                micro(part.forward.host),
                micro(part.backward.host),
                format!("{:.0}", ran as f64 / 1000.0),
            ]);
        }
        aligned(rows)
    }
}

impl Work {
    fn idle(&self) -> bool {
        self.operations + self.launches + self.products + self.bytes == 0
    }

    fn add(&mut self, other: Work) {
        self.operations += other.operations;
        self.launches += other.launches;
        self.bytes += other.bytes;
        self.products += other.products;
        self.host += other.host;
    }
}

/// Returns the first `depth` components of a name.
pub(crate) fn shortened(name: &str, depth: usize) -> &str {
    let ends = name.match_indices('.').map(|(at, _)| at);
    let end = ends.chain([name.len()]).nth(depth.saturating_sub(1));
    &name[..end.unwrap_or(name.len())]
}

fn called(part: &Part) -> String {
    let name = if part.name.is_empty() { "(no scope)" } else { &part.name };
    name.to_string()
}

fn row(part: &Part) -> [String; 9] {
    let ways = [part.forward, part.backward];
    let [ops, ops_back] = ways.map(|work| work.operations.to_string());
    let [launches, launches_back] = ways.map(|work| work.launches.to_string());
    let [bytes, bytes_back] =
        ways.map(|work| format!("{:.1}", work.bytes as f64 / 1024.0));
    let [products, products_back] = ways.map(|work| work.products.to_string());
    [
        called(part),
        ops,
        ops_back,
        launches,
        launches_back,
        bytes,
        bytes_back,
        products,
        products_back,
    ]
}

/// Formats rows, with all columns but the first aligned to the right.
fn aligned<const N: usize>(mut rows: Vec<[String; N]>) -> String {
    for column in 1..N {
        let width = |row: &[String; N]| row[column].chars().count();
        let widest = rows.iter().map(width).max().unwrap_or(0);
        for row in &mut rows {
            row[column] = format!("{:>widest$}", row[column]);
        }
    }
    table(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, launches: u64) -> Part {
        let forward = Work {
            operations: 1,
            launches,
            bytes: 2048,
            products: 10 * launches,
            host: Duration::from_micros(5),
        };
        let backward = Work { launches: 2 * launches, ..Work::default() };
        Part { name: name.to_string(), forward, backward }
    }

    fn parts() -> Parts {
        let list = [("", 1), ("a.0.x", 2), ("a.0.y", 3), ("a.1", 4), ("b", 5)];
        Parts { list: list.map(|(name, n)| part(name, n)).to_vec() }
    }

    #[test]
    fn parts_are_joined_by_name_prefix() {
        let of = |parts: Parts| -> Vec<(String, u64, u64)> {
            let parts = parts.list.into_iter();
            let each =
                |it: Part| (it.name, it.forward.launches, it.backward.launches);
            parts.map(each).collect()
        };
        let expected =
            [("", 1, 2), ("a.0", 5, 10), ("a.1", 4, 8), ("b", 5, 10)];
        let expected = expected.map(|(name, a, b)| (name.to_string(), a, b));
        assert_eq!(of(parts().joined(2)), expected);
        let expected = [("", 1, 2), ("a", 9, 18), ("b", 5, 10)];
        let expected = expected.map(|(name, a, b)| (name.to_string(), a, b));
        assert_eq!(of(parts().joined(1)), expected);
        assert_eq!(parts().joined(9), parts());
    }

    #[test]
    fn the_table_has_one_line_per_part_and_a_total() {
        let mut parts = parts().joined(1);
        parts.list.push(Part { name: "idle".into(), ..Part::default() });
        let expected = "\
part        ops  back  launches  back  KB reached  back  products  back
(no scope)    1     0         1     2         2.0   0.0        10     0
a             3     0         9    18         6.0   0.0        90     0
b             1     0         5    10         2.0   0.0        50     0
all           5     0        15    30        10.0   0.0       150     0
";
        assert_eq!(parts.text(), expected);
    }
}
