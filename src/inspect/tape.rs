//! The tape: a plain record of a graph, the same for every part, built in
//! "A tensor that remembers". [`crate::draw`] turns it into pictures, and
//! [`Tape::blame`] finds the first wrong rule.
//!
//! Reading order: [`Record`], [`Tape`], [`Blame`].

mod blame;
#[cfg(feature = "opencl")]
mod folded;

use crate::ops::Op;
use crate::reference::Array;

pub use blame::Blame;

/// A gradient as a rule gave it: its shape and its elements.
pub type Gradient = (Vec<usize>, Vec<f32>);

/// One tensor of a graph, in plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Unique in the process.
    pub id: u64,
    /// The operation that made it.
    pub op: Op,
    /// The ids of the operands, in order.
    pub parents: Vec<u64>,
    /// The size along each axis.
    pub shape: Vec<usize>,
    /// The elements, where the engine kept them.
    pub values: Option<Vec<f32>>,
    /// The gradient that arrived here in a recorded backward.
    pub grad: Option<Vec<f32>>,
    /// What the rule gave to each operand in that backward.
    pub parent_grads: Vec<Option<Gradient>>,
    /// What the reader calls it, if anything.
    pub name: Option<String>,
    /// Which part of the program made it, where somebody watched its
    /// [scopes](crate::scope).
    pub part: Option<String>,
}

impl Record {
    /// Makes a record of the values alone.
    pub fn new(
        id: u64,
        op: Op,
        parents: Vec<u64>,
        shape: &[usize],
        values: Option<Vec<f32>>,
    ) -> Record {
        Record {
            id,
            op,
            parents,
            shape: shape.to_vec(),
            values,
            grad: None,
            parent_grads: Vec::new(),
            name: None,
            part: None,
        }
    }

    /// Returns the values for the judge, where the engine kept them.
    fn array(&self) -> Option<Array> {
        Some(Array::new(&self.shape, self.values.as_ref()?))
    }
}

/// A graph as records, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tape {
    /// Parents stand before their children; the result is the last.
    pub records: Vec<Record>,
}

impl Tape {
    /// Makes a tape of records that stand in topological order.
    pub fn new(records: Vec<Record>) -> Tape {
        Tape { records }
    }

    /// Finds the position of a record.
    pub fn position(&self, id: u64) -> Option<usize> {
        self.records.iter().position(|r| r.id == id)
    }

    /// Calls the record with this id by a name of the reader's.
    pub fn set_name(&mut self, id: u64, name: &str) {
        if let Some(at) = self.position(id) {
            self.records[at].name = Some(name.to_string());
        }
    }

    /// Notes what a backward brought to a record and what its rule gave on.
    pub fn set_grads(
        &mut self,
        id: u64,
        grad: Vec<f32>,
        parent_grads: Vec<Option<Gradient>>,
    ) {
        if let Some(at) = self.position(id) {
            self.records[at].grad = Some(grad);
            self.records[at].parent_grads = parent_grads;
        }
    }

    /// Lists the operations in the order in which they ran.
    pub fn ops(&self) -> Vec<&str> {
        self.records.iter().map(|r| r.op.name()).collect()
    }
}
