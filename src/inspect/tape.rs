//! The tape: a graph as plain records, in the same format for all parts of the
//! course, built in "A tensor that remembers". `draw` draws it, and
//! [`Tape::blame`] finds the first wrong gradient rule.
//!
//! Reading order: [`Record`], [`Tape`], `Blame`.

mod blame;
mod folded;

use crate::ops::Op;
use crate::reference::Array;

#[doc(hidden)]
pub use blame::Blame;

/// A gradient computed by a rule: its shape and its elements.
#[doc(hidden)]
pub type Gradient = (Vec<usize>, Vec<f32>);

/// A tensor of a graph, as plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Unique within the process.
    pub id: u64,
    /// The operation that computed the tensor.
    pub op: Op,
    /// The ids of the operands, in order.
    pub parents: Vec<u64>,
    /// The size of each axis.
    pub shape: Vec<usize>,
    /// The elements, if the engine saved them.
    pub values: Option<Vec<f32>>,
    /// The gradient of this tensor, after a recorded backward pass.
    pub grad: Option<Vec<f32>>,
    /// The gradients that the rule computed for each operand in that pass.
    pub parent_grads: Vec<Option<Gradient>>,
    /// The user's name for the tensor, if any.
    pub name: Option<String>,
    /// The part of the program that created the tensor, if its scopes were
    /// watched.
    pub part: Option<String>,
}

impl Record {
    /// Creates a record without gradients.
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

    /// Returns the values as an array for the reference implementation, if the
    /// engine saved them.
    fn array(&self) -> Option<Array> {
        Some(Array::new(&self.shape, self.values.as_ref()?))
    }
}

/// A graph as records, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tape {
    /// The records in topological order: parents before children, the result
    /// last.
    pub records: Vec<Record>,
}

impl Tape {
    /// Creates a tape from records in topological order.
    pub fn new(records: Vec<Record>) -> Tape {
        Tape { records }
    }

    /// Returns the position of the record with this id.
    pub fn position(&self, id: u64) -> Option<usize> {
        self.records.iter().position(|r| r.id == id)
    }

    /// Sets the user's name for the record with this id.
    pub fn set_name(&mut self, id: u64, name: &str) {
        if let Some(at) = self.position(id) {
            self.records[at].name = Some(name.to_string());
        }
    }

    /// Stores the gradient of a record, and the gradients that its rule
    /// computed for its operands.
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
