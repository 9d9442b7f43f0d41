//! What one written kernel computes, before it is text; built in "Kernels
//! that write themselves".
//!
//! An [`Expression`] is a list of steps, each of which has a dense array of
//! numbers, made of those of earlier steps through views. [`Expression::plan`]
//! finds out what a single kernel can do of it: it follows every index from
//! the result back to the buffers, so that a value is computed where it is
//! needed and most are never stored.

mod planner;

use std::collections::HashMap;

use smallvec::SmallVec;

use self::planner::Planner;
use super::index::{Index, Parts};
use crate::shape::size;

/// The numbers of an earlier step, through a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Which step.
    pub step: usize,
    /// The sizes, strides and offset of the view, in fewest axes.
    pub shape: SmallVec<[usize; 4]>,
    /// In elements.
    pub strides: SmallVec<[isize; 4]>,
    /// Where the first element lies.
    pub offset: usize,
}

/// How many numbers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Join {
    /// Their sum.
    Sum,
    /// The largest of them; a NaN is larger.
    Max,
}

/// What a step computes.
#[derive(Clone, Debug)]
pub enum Step<Op> {
    /// The numbers of a buffer.
    Given(usize),
    /// One number: its place among those that are given.
    Number(usize),
    /// An operation on elements, and the place of its number.
    Apply(Op, SmallVec<[Operand; 3]>, Option<usize>),
    /// What a view shows.
    View(Operand),
    /// Each row of an operand, which is (rows, columns), joined to one number.
    Join(Join, Operand, [usize; 2]),
    /// Rows of so many numbers, at the indices of a buffer of integers.
    Pick(usize, Operand, usize),
    /// Each number at the place that such a buffer says, in a block of so many
    /// of which the others are 0.
    Spread(usize, Operand, usize),
}

/// A step with the shape of its result.
#[derive(Clone, Debug)]
pub struct Node<Op> {
    /// What is computed.
    pub step: Step<Op>,
    /// Its shape, of which the elements lie in row-major order.
    pub shape: SmallVec<[usize; 4]>,
    /// Whether somebody will ask for it.
    pub held: bool,
}

/// Steps in an order in which each comes after what it is made of.
#[derive(Debug)]
pub struct Expression<Op>(pub Vec<Node<Op>>);

/// What the work-items count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The elements of a result.
    Each(usize),
    /// Rows, each of so many columns, in parts of so many.
    Rows {
        /// So many rows.
        rows: usize,
        /// The numbers of each.
        columns: usize,
        /// So many of them make a part.
        segment: usize,
    },
}

/// A value of the kernel.
#[derive(Debug)]
pub(crate) struct Line<Op> {
    pub(crate) value: Value<Op>,
    /// The step that it belongs to.
    pub(crate) step: usize,
    /// Whether it has another value in each column.
    pub(crate) in_columns: bool,
    /// So many joins must be done before.
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

/// The values of a row that are joined.
#[derive(Debug)]
pub(crate) struct Joining {
    pub(crate) join: Join,
    pub(crate) line: usize,
    pub(crate) phase: usize,
}

/// A step that is stored.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) step: usize,
    pub(crate) line: usize,
    pub(crate) at: Index,
    pub(crate) len: usize,
}

/// What one kernel does.
pub struct Plan<Op> {
    pub(crate) space: Space,
    pub(crate) parts: Parts,
    /// What is counted: the element or the row, and the column.
    pub(crate) counts: [Index; 2],
    pub(crate) lines: Vec<Line<Op>>,
    pub(crate) joins: Vec<Joining>,
    pub(crate) stores: Vec<Store>,
    /// How many numbers each buffer that is read must have.
    pub(crate) reaches: Vec<(usize, u64)>,
    /// The same of the buffers of integers.
    pub(crate) places: Vec<(usize, u64)>,
}

/// A row that a team walks through more than once is no longer.
const LONGEST_ROW: usize = 1 << 15;
/// A longer row is joined in parts, where there are few.
const PART: usize = 1 << 12;
const FEW_ROWS: usize = 1 << 10;
const BEYOND: usize = PART + 1;
/// A kernel of more lines is written in two.
const MOST_LINES: usize = 512;

impl<Op> Plan<Op> {
    /// Lists the steps that are stored, in the order of the outputs.
    pub fn stored(&self) -> impl Iterator<Item = (usize, usize)> {
        self.stores.iter().map(|store| (store.step, store.len))
    }

    /// Lists the buffers that are read: of integers, and of numbers.
    pub fn read(&self) -> [impl Iterator<Item = usize>; 2] {
        [&self.places, &self.reaches].map(|it| it.iter().map(|it| it.0))
    }

    /// Lists how many numbers each output has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.stores.iter().map(|store| match store.at.is_row(self) {
            true => store.len * self.parts(),
            false => store.len,
        })
    }

    /// Says what is counted.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Counts the parts that each row is joined in.
    pub fn parts(&self) -> usize {
        match self.space {
            Space::Each(_) => 1,
            Space::Rows { columns, segment, .. } => columns.div_ceil(segment),
        }
    }
}

impl<Op: Copy> Expression<Op> {
    /// Plans the kernel that computes a step. Where one kernel cannot, it says
    /// which step must be computed before, and be [`Step::Given`].
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
                    (..FEW_ROWS, PART..) if is_one => {
                        let wanted = FEW_ROWS.div_ceil(rows.max(1));
                        columns.div_ceil(wanted).max(PART / 4)
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

    /// Finds the rows that the kernel of a step joins, if it joins any.
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
                    ..=PART => true,
                    BEYOND..=LONGEST_ROW => rows >= FEW_ROWS || n > rows,
                    _ => rows >= FEW_ROWS && n == rows,
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

    /// Lists what a step is made of.
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
