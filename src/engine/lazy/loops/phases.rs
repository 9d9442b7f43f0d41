//! Assigns the lines of a plan to phases. A phase is one pass over the rows;
//! a reduction ends a phase, because later lines need its result.

use super::{Loops, Operation};
use crate::engine::lazy::compiler::{Plan, Value};

/// Returns for each phase which lines its pass needs: those that its
/// reductions and its stores depend on.
pub(super) fn needed(plan: &Plan<Operation>) -> Vec<Vec<bool>> {
    let last = last_phase(plan);
    let mut needed = vec![vec![false; plan.lines.len()]; last + 1];
    for join in &plan.joins {
        mark(plan, join.line, &mut needed[join.phase]);
    }
    for store in &plan.stores {
        if !store.at.is_row(plan) {
            let phase = phase_of(plan, &needed, store.line);
            mark(plan, store.line, &mut needed[phase]);
        }
    }
    needed
}

/// Marks a line and everything that it depends on.
fn mark(plan: &Plan<Operation>, line: usize, needed: &mut [bool]) {
    if std::mem::replace(&mut needed[line], true) {
        return;
    }
    match &plan.lines[line].value {
        Value::Apply(_, args, _) => {
            args.iter().for_each(|&line| mark(plan, line, needed));
        }
        Value::Where(_, _, line) => mark(plan, *line, needed),
        _ => {}
    }
}

fn last_phase(plan: &Plan<Operation>) -> usize {
    plan.lines.iter().map(|line| line.phase).max().unwrap_or(0)
}

/// Returns the phase that stores a line: the first that needs the line anyway,
/// or else the last.
fn phase_of(
    plan: &Plan<Operation>,
    needed: &[Vec<bool>],
    line: usize,
) -> usize {
    let (first, last) = (plan.lines[line].phase, needed.len() - 1);
    (first..last).find(|phase| needed[*phase][line]).unwrap_or(last)
}

impl Loops<'_> {
    /// Returns the index of the last phase.
    pub(super) fn last_phase(&self) -> usize {
        self.needed.len() - 1
    }

    /// Returns the phase that stores a line.
    pub(super) fn phase_of(&self, line: usize) -> usize {
        phase_of(self.plan, &self.needed, line)
    }

    /// Returns whether a phase has reductions or stores, and so needs a pass.
    pub(super) fn has_loop(&self, phase: usize) -> bool {
        let plan = self.plan;
        let mut stores =
            plan.stores.iter().filter(|store| !store.at.is_row(plan));
        plan.joins.iter().any(|join| join.phase == phase)
            || stores.any(|store| self.phase_of(store.line) == phase)
    }
}
