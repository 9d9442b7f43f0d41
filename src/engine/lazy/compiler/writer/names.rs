//! The name of a generated kernel, and the description of its operations.

use std::collections::BTreeSet;

use super::Writer;
use crate::engine::lazy::compiler::expression::{Join, Value};

/// Maximum number of operations in a group of the description.
const MAX_NAMES_PER_GROUP: usize = 8;

impl<Op: Copy> Writer<'_, Op> {
    /// Returns the name and the step of each operation, in the order of the
    /// text.
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

    /// Returns the operations of the kernel, grouped by shape. An operation
    /// that is computed at two indices is listed once.
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
                    if *last == shape && names.len() < MAX_NAMES_PER_GROUP =>
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

    /// Returns a kernel name that lists the first operations.
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
