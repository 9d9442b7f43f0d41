//! What a written kernel is called, and what it says that it holds.

use std::collections::BTreeSet;

use super::super::expression::{Join, Value};
use super::Writer;

/// So many operations stand in a line of those that a kernel holds.
const TOGETHER: usize = 8;

impl<Op: Copy> Writer<'_, Op> {
    /// Lists what is computed, in the order of the text: the name of each
    /// operation, and its step.
    fn operations(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.plan.lines.iter().filter_map(|line| {
            let name = match &line.value {
                Value::Apply(op, ..) => (self.formula)(*op).name,
                Value::Joined(at) => match self.plan.joins[*at].join {
                    Join::Sum => "sum",
                    Join::Max => "max",
                },
                Value::Where(..) => "spread",
                _ => return None,
            };
            Some((name, line.step))
        })
    }

    /// Tells which operations the kernel holds, those of a shape together, a
    /// few in a group. One that is needed at two places stands there once.
    pub(super) fn holds(&self) -> String {
        let mut groups: Vec<(String, Vec<&str>)> = vec![];
        let mut told = BTreeSet::new();
        for (name, step) in self.operations() {
            if !told.insert(step) {
                continue;
            }
            let shape = (self.shape)(step);
            match groups.last_mut() {
                Some((last, names))
                    if *last == shape && names.len() < TOGETHER =>
                {
                    names.push(name);
                }
                _ => groups.push((shape, vec![name])),
            }
        }
        let group = |(shape, names): (String, Vec<&str>)| {
            format!("{} {shape}", names.join(", "))
        };
        let groups: Vec<String> = groups.into_iter().map(group).collect();
        groups.join("; ")
    }

    /// Names the kernel after what it computes.
    pub(super) fn name(&self) -> String {
        let names: Vec<&str> = self.operations().map(|it| it.0).collect();
        match &names[..] {
            [] => "fused_copy".to_owned(),
            all if all.len() <= 6 => format!("fused_{}", all.join("_")),
            all => {
                let (first, rest) = all.split_at(5);
                format!("fused_{}_and_{}", first.join("_"), rest.len())
            }
        }
    }
}
