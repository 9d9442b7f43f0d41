//! The computation of one generated kernel, before it becomes text; built in
//! "Kernels that write themselves".
//!
//! An [`Expression`] is a list of steps. Each step has a dense array as its
//! result, computed from the results of earlier steps through views.
//! [`Expression::plan`] finds out how much of it a single kernel can compute:
//! it follows every index from the result back to the buffers, so that a value
//! is computed where it is needed and most values are never stored.

mod planner;

use std::collections::HashMap;

use smallvec::SmallVec;

use self::planner::Planner;
use super::index::{Index, Parts};
use crate::shape::size;

/// The result of an earlier step, read through a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The index of the step.
    pub step: usize,
    /// The sizes of the view's axes, merged into as few axes as possible.
    pub shape: SmallVec<[usize; 4]>,
    /// The strides, in elements.
    pub strides: SmallVec<[isize; 4]>,
    /// The index of the first element.
    pub offset: usize,
}

/// A reduction of many values to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Join {
    /// The sum.
    Sum,
    /// The maximum; NaN counts as larger than any number.
    Max,
}

/// The operation of a step.
#[derive(Clone, Debug)]
pub enum Step<Op> {
    /// The elements of the buffer with this index.
    Given(usize),
    /// A scalar, by its index among the scalars of the expression.
    Number(usize),
    /// An elementwise operation, and the index of its scalar parameter.
    Apply(Op, SmallVec<[Operand; 3]>, Option<usize>),
    /// The elements of a view.
    View(Operand),
    /// Reduces each row of an operand of shape (rows, columns).
    Join(Join, Operand, [usize; 2]),
    /// Selects rows by the indices in a buffer of integers: the buffer, the
    /// operand, and the row length.
    Pick(usize, Operand, usize),
    /// Spreads values over blocks: a block is 0 except at the index, read from
    /// a buffer of integers, that gets the operand's value. The buffer, the
    /// operand, and the block length.
    Spread(usize, Operand, usize),
}

/// A step with the shape of its result.
#[derive(Clone, Debug)]
pub struct Node<Op> {
    /// The operation.
    pub step: Step<Op>,
    /// The shape of the result, whose elements are in row-major order.
    pub shape: SmallVec<[usize; 4]>,
    /// Whether the result is still referenced, so that it must be stored.
    pub held: bool,
}

/// Steps in topological order: each comes after its operands.
#[derive(Debug)]
pub struct Expression<Op>(pub Vec<Node<Op>>);

/// The iteration space of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// One work-item per element of a result.
    Each(usize),
    /// Rows, which may be split into segments.
    Rows {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
        /// The number of columns in a segment.
        segment: usize,
    },
}

/// A value that the kernel computes.
#[derive(Debug)]
pub(crate) struct Line<Op> {
    pub(crate) value: Value<Op>,
    /// The step that it belongs to.
    pub(crate) step: usize,
    /// Whether its value depends on the column.
    pub(crate) in_columns: bool,
    /// The number of reduction phases that must be complete before it.
    pub(crate) phase: usize,
}

#[derive(Debug)]
pub(crate) enum Value<Op> {
    Load(usize, Index),
    Number(usize),
    Apply(Op, SmallVec<[usize; 3]>, Option<usize>),
    Joined(usize),
    /// The value of a line where both indices are equal, else 0.
    Where(Index, Index, usize),
}

/// A reduction over a row.
#[derive(Debug)]
pub(crate) struct Joining {
    pub(crate) join: Join,
    pub(crate) line: usize,
    pub(crate) phase: usize,
}

/// A step whose result is stored.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) step: usize,
    pub(crate) line: usize,
    pub(crate) at: Index,
    pub(crate) len: usize,
}

/// What one kernel computes.
pub struct Plan<Op> {
    pub(crate) space: Space,
    pub(crate) parts: Parts,
    /// The loop variables: the element or row, and the column.
    pub(crate) counts: [Index; 2],
    pub(crate) lines: Vec<Line<Op>>,
    pub(crate) joins: Vec<Joining>,
    pub(crate) stores: Vec<Store>,
    /// The number of elements that each input buffer must have.
    pub(crate) reaches: Vec<(usize, u64)>,
    /// The number of elements that each buffer of integers must have.
    pub(crate) places: Vec<(usize, u64)>,
}

/// Maximum length of a row over which a team loops more than once.
const MAX_LOOPED_ROW: usize = 1 << 15;
/// Longer rows are split into segments, unless there are enough rows to fill
/// the device.
const MAX_UNSPLIT_ROW: usize = 1 << 12;
const SATURATING_ROWS: usize = 1 << 10;
const SPLIT_ROW: usize = MAX_UNSPLIT_ROW + 1;
/// Maximum number of lines in a kernel; a longer computation is split into two
/// kernels.
const MAX_LINES: usize = 512;

impl<Op> Plan<Op> {
    /// Returns the steps that are stored and their sizes, in the order of the
    /// outputs.
    pub fn stored(&self) -> impl Iterator<Item = (usize, usize)> {
        self.stores.iter().map(|store| (store.step, store.len))
    }

    /// Returns the buffers of integers, and the buffers of values, that are
    /// read.
    pub fn read(&self) -> [impl Iterator<Item = usize>; 2] {
        [&self.places, &self.reaches].map(|it| it.iter().map(|it| it.0))
    }

    /// Returns the length of each output.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.stores.iter().map(|store| match store.at.is_row(self) {
            true => store.len * self.parts(),
            false => store.len,
        })
    }

    /// Returns the iteration space.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Returns the number of segments into which each row is split.
    pub fn parts(&self) -> usize {
        match self.space {
            Space::Each(_) => 1,
            Space::Rows { columns, segment, .. } => columns.div_ceil(segment),
        }
    }
}

impl<Op: Copy> Expression<Op> {
    /// Plans the kernel that computes a step. If one kernel cannot compute it,
    /// returns the step that must be computed before it and become a
    /// [`Step::Given`].
    pub fn plan(&self, root: usize) -> Result<Plan<Op>, usize> {
        let n = size(&self.0[root].shape);
        let mut parts = Parts::default();
        let (space, counts, at) = match self.rows(root)? {
            None => {
                let i = parts.count("i", n);
                (Space::Each(n), [i.clone(), Index::default()], i)
            }
            Some([rows, columns]) => {
                let r = parts.count("r", rows);
                let c = parts.count("c", columns);
                let is_one = matches!(self.0[root].step, Step::Join(..));
                let segment = match (rows, columns) {
                    (..SATURATING_ROWS, MAX_UNSPLIT_ROW..) if is_one => {
                        let wanted = SATURATING_ROWS.div_ceil(rows.max(1));
                        columns.div_ceil(wanted).max(MAX_UNSPLIT_ROW / 4)
                    }
                    _ => columns,
                };
                let space = Space::Rows { rows, columns, segment };
                let at = match n == rows {
                    true => r.clone(),
                    false => r.times(columns as i64).plus(&c, 1),
                };
                (space, [r, c], at)
            }
        };
        let plan = Plan {
            space,
            parts,
            counts,
            lines: vec![],
            joins: vec![],
            stores: vec![],
            reaches: vec![],
            places: vec![],
        };
        let mut planner =
            Planner { nodes: &self.0, plan, known: HashMap::new(), root };
        planner.line(root, &at)?;
        planner.store(root)?;
        planner.reach();
        Ok(planner.plan)
    }

    /// Finds the shape of the rows that the kernel of a step reduces, or
    /// `None` if it reduces nothing.
    fn rows(&self, root: usize) -> Result<Option<[usize; 2]>, usize> {
        let mut waiting = vec![root];
        let mut seen = vec![false; self.0.len()];
        let n = size(&self.0[root].shape);
        while let Some(step) = waiting.pop() {
            if std::mem::replace(&mut seen[step], true) {
                continue;
            }
            if let Step::Join(_, _, [rows, columns]) = self.0[step].step {
                let short = match columns {
                    ..=MAX_UNSPLIT_ROW => true,
                    SPLIT_ROW..=MAX_LOOPED_ROW => {
                        rows >= SATURATING_ROWS || n > rows
                    }
                    _ => rows >= SATURATING_ROWS && n == rows,
                };
                let fits = n == rows || n == rows * columns;
                return match step == root || (fits && short) {
                    true => Ok(Some([rows, columns])),
                    false => Err(step),
                };
            }
            waiting.extend(self.operands(step).iter().map(|it| it.step));
        }
        Ok(None)
    }

    /// Returns the operands of a step.
    pub fn operands(&self, step: usize) -> &[Operand] {
        match &self.0[step].step {
            Step::Given(_) | Step::Number(_) => &[],
            Step::Apply(_, operands, _) => operands,
            Step::View(operand)
            | Step::Join(_, operand, _)
            | Step::Pick(_, operand, _)
            | Step::Spread(_, operand, _) => std::slice::from_ref(operand),
        }
    }
}
