//! Translates steps into the lines of one kernel.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::{
    Join, Joining, Line, MAX_LINES, Node, Operand, Plan, Space, Step, Store,
    Value,
};
use crate::engine::lazy::compiler::index::Index;
use crate::shape::size;

/// Follows the indices from the result to the buffers.
pub(super) struct Planner<'a, Op> {
    pub(super) nodes: &'a [Node<Op>],
    pub(super) plan: Plan<Op>,
    /// The line that computes a step at an index.
    pub(super) known: HashMap<(usize, Index), usize>,
    pub(super) root: usize,
}

impl<Op: Copy> Planner<'_, Op> {
    /// Returns the line that computes a step at an index, or the step that
    /// must be computed by an earlier kernel.
    pub(super) fn line(
        &mut self,
        step: usize,
        at: &Index,
    ) -> Result<usize, usize> {
        if let Some(line) = self.known.get(&(step, at.clone())) {
            return Ok(*line);
        }
        if self.plan.lines.len() >= MAX_LINES {
            return Err(self.busiest());
        }
        let nodes = self.nodes;
        let value = match &nodes[step].step {
            Step::Given(buffer) => Value::Load(*buffer, at.clone()),
            Step::Number(slot) => Value::Number(*slot),
            Step::Apply(op, operands, slot) => {
                let mut lines = SmallVec::new();
                for operand in operands {
                    lines.push(self.operand(operand, at)?);
                }
                Value::Apply(*op, lines, *slot)
            }
            Step::View(operand) => {
                let line = self.operand(operand, at)?;
                self.known.insert((step, at.clone()), line);
                return Ok(line);
            }
            Step::Join(join, operand, sizes) => {
                self.join(step, *join, operand, *sizes, at)?
            }
            Step::Pick(places, operand, width) => {
                let row = self.plan.parts.quotient(at, *width);
                let column = self.plan.parts.rest(at, *width);
                let rows = size(&operand.shape) / width;
                let row = self.plan.parts.place(*places, row, rows);
                let from = row.times(*width as i64).plus(&column, 1);
                let line = self.operand(operand, &from)?;
                self.known.insert((step, at.clone()), line);
                return Ok(line);
            }
            Step::Spread(places, operand, block) => {
                let which = self.plan.parts.quotient(at, *block);
                let n = size(&nodes[step].shape);
                let parts = &mut self.plan.parts;
                let place = parts.place(*places, which.clone(), n);
                let line = self.operand(operand, &which)?;
                Value::Where(place, at.clone(), line)
            }
        };
        let line = self.push(value, step);
        self.known.insert((step, at.clone()), line);
        Ok(line)
    }

    fn operand(
        &mut self,
        operand: &Operand,
        at: &Index,
    ) -> Result<usize, usize> {
        let Operand { step, shape, strides, offset } = operand;
        let view = (&shape[..], &strides[..], *offset);
        let at = self.plan.parts.through(at, view);
        self.line(*step, &at)
    }

    /// Adds the reduction of an operand's rows if they are the rows of the
    /// kernel.
    fn join(
        &mut self,
        step: usize,
        join: Join,
        operand: &Operand,
        [rows, columns]: [usize; 2],
        at: &Index,
    ) -> Result<Value<Op>, usize> {
        let [r, c] = self.plan.counts.clone();
        let Space::Rows { rows: here, columns: across, segment } =
            self.plan.space
        else {
            return Err(step);
        };
        let fits = [rows, columns] == [here, across] && *at == r;
        // A row that is reduced in segments is complete only after another
        // kernel.
        if !fits || (segment < columns && step != self.root) {
            return Err(step);
        }
        let at = r.times(columns as i64).plus(&c, 1);
        let line = self.operand(operand, &at)?;
        let phase = self.plan.lines[line].phase;
        self.plan.joins.push(Joining { join, line, phase });
        Ok(Value::Joined(self.plan.joins.len() - 1))
    }

    fn push(&mut self, value: Value<Op>, step: usize) -> usize {
        let Plan { parts, counts: [_, c], lines, joins, .. } = &self.plan;
        let moves = |index| !c.is_constant() && parts.moves(index, c);
        let (in_columns, phase) = match &value {
            Value::Load(_, at) => (moves(at), 0),
            Value::Number(_) => (false, 0),
            Value::Apply(_, args, _) => (
                args.iter().any(|&line| lines[line].in_columns),
                args.iter().map(|&line| lines[line].phase).max().unwrap_or(0),
            ),
            Value::Joined(join) => (false, joins[*join].phase + 1),
            Value::Where(place, at, line) => {
                let line = &lines[*line];
                let moves = moves(place) || moves(at) || line.in_columns;
                (moves, line.phase)
            }
        };
        self.plan.lines.push(Line { value, step, in_columns, phase });
        self.plan.lines.len() - 1
    }

    /// Returns the step with the most lines, which is the best one to store.
    fn busiest(&self) -> usize {
        let mut counts = vec![0; self.nodes.len()];
        for line in &self.plan.lines {
            let is_given =
                matches!(line.value, Value::Load(..) | Value::Number(_));
            if !is_given && line.step != self.root {
                counts[line.step] += 1;
            }
        }
        (0..counts.len()).max_by_key(|&step| counts[step]).unwrap_or(0)
    }

    /// Stores the root and each step that is still referenced.
    pub(super) fn store(&mut self, root: usize) -> Result<(), usize> {
        let Plan { space, parts, counts: [r, _], .. } = &self.plan;
        let meets = |at: &Index, n: usize| match *space {
            Space::Each(items) => items == n && parts.meets_each(at, n),
            Space::Rows { rows, columns, .. } => {
                (n == rows && at == r)
                    || (n == rows * columns && parts.meets_each(at, n))
            }
        };
        let mut stores: Vec<Store> = vec![];
        for (step, node) in self.nodes.iter().enumerate() {
            let wanted = step == root || node.held;
            if !wanted || matches!(node.step, Step::Given(_)) {
                continue;
            }
            let len = size(&node.shape);
            let found = self.known.iter().filter(|((it, _), _)| *it == step);
            let mut met = false;
            let mut place = None;
            for ((_, at), line) in found {
                met = true;
                if meets(at, len) {
                    place = Some((at.clone(), *line));
                }
            }
            match place {
                Some((at, line)) => stores.push(Store { step, line, at, len }),
                None if met => return Err(step),
                None => {}
            }
        }
        self.plan.stores = stores;
        Ok(())
    }

    /// Computes how many elements the lines access in each buffer.
    pub(super) fn reach(&mut self) {
        let Plan { parts, lines, stores, .. } = &self.plan;
        let [mut reaches, mut places] = [vec![], vec![]];
        let mut reach = |buffer: usize, at: &Index| {
            let most = parts.bounds(at).1 as u64 + 1;
            match reaches
                .iter_mut()
                .find(|it: &&mut (usize, u64)| it.0 == buffer)
            {
                Some((_, reach)) => *reach = most.max(*reach),
                None => reaches.push((buffer, most)),
            }
        };
        let mut indices: Vec<&Index> = stores.iter().map(|it| &it.at).collect();
        for line in lines {
            match &line.value {
                Value::Load(buffer, at) => {
                    reach(*buffer, at);
                    indices.push(at);
                }
                Value::Where(place, at, _) => indices.extend([place, at]),
                _ => {}
            }
        }
        for index in indices {
            parts.reach(index, &mut places);
        }
        (self.plan.reaches, self.plan.places) = (reaches, places);
    }
}
