//! What is computed in which walk along the rows: each join ends one.

use super::Loops;
use crate::opencl::Value;

impl Loops<'_> {
    /// Returns the number of the last phase.
    pub(super) fn last(&self) -> usize {
        let phases = self.plan.lines.iter().map(|line| line.phase);
        phases.max().unwrap_or(0)
    }

    /// Finds the loop that stores a line: one that computes it, or the last.
    pub(super) fn phase_of(&self, line: usize) -> usize {
        let first = self.plan.lines[line].phase;
        let last = self.last();
        let computes = |phase: &usize| self.needed(*phase, line);
        (first..last).find(computes).unwrap_or(last)
    }

    /// Says whether what is joined in a phase is made of a line.
    fn needed(&self, phase: usize, line: usize) -> bool {
        let joins = self.plan.joins.iter();
        let mut joins = joins.filter(|join| join.phase == phase);
        joins.any(|join| self.is_made_of(join.line, line))
    }

    fn is_made_of(&self, whole: usize, part: usize) -> bool {
        let it = &self.plan.lines[whole];
        whole == part
            || it.in_columns
                && match &it.value {
                    Value::Apply(_, args, _) => {
                        args.iter().any(|&line| self.is_made_of(line, part))
                    }
                    Value::Where(_, _, line) => self.is_made_of(*line, part),
                    _ => false,
                }
    }

    pub(super) fn has_loop(&self, phase: usize) -> bool {
        let plan = self.plan;
        let stores = plan.stores.iter().filter(|it| !it.at.is_row(plan));
        plan.joins.iter().any(|join| join.phase == phase)
            || stores.into_iter().any(|it| self.phase_of(it.line) == phase)
    }
}
