//! Collapses a tape of operations into a tape of parts.

use std::collections::HashMap;

use super::{Record, Tape};
use crate::ops::Op;
use crate::scope::shortened;

impl Tape {
    /// Merges consecutive records created by the same part into one record,
    /// which has the part's name and the values of the last of them. Parts are
    /// the same if the first `depth` components of their names are equal.
    /// Leaves and constants are omitted. Records that belong to no part stay
    /// unchanged.
    pub fn folded(&self, depth: usize) -> Tape {
        // Maps each old record to its record in the new tape.
        let mut into: HashMap<u64, u64> = HashMap::new();
        let mut folded: Vec<Record> = Vec::new();
        let is_given = |op: &Op| matches!(op, Op::Leaf | Op::Constant);
        for record in self.records.iter().filter(|it| !is_given(&it.op)) {
            let part = record.part.as_deref().filter(|name| !name.is_empty());
            let part = part.map(|name| shortened(name, depth).to_string());
            let parents = record.parents.iter();
            let known = parents.filter_map(|id| into.get(id).copied());
            let mut parents: Vec<u64> = known.collect();
            let mut next = record.clone();
            next.parent_grads.clear();
            match folded.pop_if(|last| part.is_some() && last.part == part) {
                // The part continues; its inputs so far come first.
                Some(last) => {
                    parents.retain(|id| *id != last.id);
                    parents.splice(0..0, last.parents.clone());
                    for to in into.values_mut() {
                        if *to == last.id {
                            *to = next.id;
                        }
                    }
                    next.op = Op::Custom("part");
                    next.name = last.name;
                }
                None if part.is_some() => {
                    next.op = Op::Custom("part");
                    next.name.clone_from(&part);
                }
                None => {}
            }
            let mut seen = Vec::new();
            parents.retain(|id| {
                !seen.contains(id) && {
                    seen.push(*id);
                    true
                }
            });
            into.insert(record.id, next.id);
            folded.push(Record { parents, part, ..next });
        }
        Tape::new(folded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// Creates a record of a part with a value and a gradient.
    fn record(
        id: u64,
        op: &'static str,
        parents: &[u64],
        part: &str,
    ) -> Record {
        let op = Op::named(op);
        let value = Some(vec![id as f32]);
        let mut record = Record::new(id, op, parents.to_vec(), &[1], value);
        record.grad = Some(vec![-(id as f32)]);
        record.part = Some(part.to_string());
        record
    }

    fn tape() -> Tape {
        let leaf = |id| Record::new(id, Op::Leaf, vec![], &[1], None);
        Tape::new(vec![
            leaf(1),
            leaf(2),
            record(3, "mul", &[1, 2], "a.x"),
            record(4, "add", &[3, 2], "a.y"),
            record(5, "relu", &[4], "b"),
            record(6, "mul", &[5, 3], "b"),
            record(7, "add", &[6, 4], "a.x"),
            record(8, "sum", &[7], ""),
        ])
    }

    #[test]
    fn adjacent_records_of_a_part_are_merged() {
        let folded = tape().folded(1);
        let told: Vec<(u64, Option<&str>, &[u64])> = folded
            .records
            .iter()
            .map(|it| (it.id, it.name.as_deref(), &it.parents[..]))
            .collect();
        let expected: [(u64, Option<&str>, &[u64]); 4] = [
            (4, Some("a"), &[]),
            (6, Some("b"), &[4]),
            (7, Some("a"), &[6, 4]),
            (8, None, &[7]),
        ];
        assert_eq!(told, expected);
        assert_eq!(folded.records[1].values, Some(vec![6.0]));
        assert_eq!(folded.records[1].grad, Some(vec![-6.0]));
        assert_eq!(folded.records[3].op, Op::named("sum"));
    }

    #[test]
    fn a_deeper_fold_keeps_nested_parts() {
        let folded = tape().folded(2);
        let names = folded.records.iter().map(|it| it.name.as_deref());
        let expected = [Some("a.x"), Some("a.y"), Some("b"), Some("a.x"), None];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        // Two paths lead from the first part to the last: through the second
        // part, and through the third.
        assert_eq!(folded.records[2].parents, [4, 3]);
    }

    #[test]
    fn a_folded_tape_can_be_drawn() {
        let text = draw::text(&tape().folded(1), None);
        assert!(text.contains("part(a)"), "{text}");
        let svg = draw::svg(&tape().folded(1), "folded", "Parts", None);
        assert!(svg.contains(">part<"), "{svg}");
    }
}
