//! The tape: a plain record of a graph, the same for every part, built in
//! chapter 3. [`crate::draw`] turns it into pictures, and [`Tape::blame`]
//! finds the first wrong rule.
//!
//! Reading order: [`Record`], [`Tape`], [`Blame`].

use crate::gradcheck::{self, Mismatch};
use crate::ops::Op;
use crate::reference::{self, Array};

/// A gradient as a rule gave it: its shape and its elements.
pub type Flat = (Vec<usize>, Vec<f32>);

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
    pub given: Vec<Option<Flat>>,
    /// What the reader calls it, if anything.
    pub name: Option<String>,
}

impl Record {
    /// A record of the values alone.
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
            given: Vec::new(),
            name: None,
        }
    }

    /// The values for the judge, where the engine kept them.
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

/// What [`Tape::blame`] found wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub enum Blame {
    /// The rule of a record gives a wrong gradient to one operand.
    Rule {
        /// The position of the record on the tape.
        at: usize,
        /// Which operand, counted from 0.
        operand: usize,
        /// Yours beside the right one.
        mismatch: Mismatch,
    },
    /// The rules are right, but their gradients were not added up.
    Sum {
        /// The position of the record on the tape.
        at: usize,
        /// Yours beside the right one.
        mismatch: Mismatch,
    },
}

impl Blame {
    /// The position of the blamed record.
    pub fn at(&self) -> usize {
        match self {
            Blame::Rule { at, .. } | Blame::Sum { at, .. } => *at,
        }
    }
}

impl Tape {
    /// A tape of records that stand in topological order.
    pub fn new(records: Vec<Record>) -> Tape {
        Tape { records }
    }

    /// The position of a record.
    pub fn position(&self, id: u64) -> Option<usize> {
        self.records.iter().position(|r| r.id == id)
    }

    /// Calls the record with this id by a name of the reader's.
    pub fn name(&mut self, id: u64, name: &str) {
        if let Some(at) = self.position(id) {
            self.records[at].name = Some(name.to_string());
        }
    }

    /// Notes what a backward brought to a record and what its rule gave on.
    pub fn note(&mut self, id: u64, grad: Vec<f32>, given: Vec<Option<Flat>>) {
        if let Some(at) = self.position(id) {
            self.records[at].grad = Some(grad);
            self.records[at].given = given;
        }
    }

    /// The operations in the order in which they ran.
    pub fn ops(&self) -> Vec<&str> {
        self.records.iter().map(|r| r.op.name()).collect()
    }
}

impl Tape {
    /// The first fault in backward order. Each rule is checked alone: with
    /// the values and the `grad_out` that it really got, nudged in `f64` by
    /// the judge. So a wrong rule is named even when a later one hides it.
    /// An operation that the judge does not know passes unchecked; see
    /// [`Tape::unchecked`].
    pub fn blame(&self) -> Option<Blame> {
        (0..self.records.len())
            .rev()
            .find_map(|at| self.blame_sum(at).or_else(|| self.blame_rule(at)))
    }

    /// The operations whose rules the judge could not check.
    pub fn unchecked(&self) -> Vec<&str> {
        let known =
            |r: &&Record| r.parents.is_empty() || self.judged(r).is_some();
        let unknown = self.records.iter().filter(|r| !known(r));
        unknown.map(|r| r.op.name()).collect()
    }

    /// A record's operands, when the judge can compute it from them.
    fn judged(&self, record: &Record) -> Option<Vec<Array>> {
        let inputs: Vec<Array> = record
            .parents
            .iter()
            .map(|&id| self.records[self.position(id)?].array())
            .collect::<Option<_>>()?;
        let borrowed: Vec<&Array> = inputs.iter().collect();
        reference::forward(&record.op, &borrowed)?;
        Some(inputs)
    }

    fn blame_rule(&self, at: usize) -> Option<Blame> {
        let record = &self.records[at];
        let grad_out = Array::new(&record.shape, record.grad.as_ref()?);
        let inputs = self.judged(record)?;
        record.given.iter().enumerate().find_map(|(operand, given)| {
            let (shape, values) = given.as_ref()?;
            let right = gradcheck::slope(&inputs, operand, |inputs| {
                let inputs: Vec<&Array> = inputs.iter().collect();
                let out = reference::forward(&record.op, &inputs)
                    .expect("the judge has computed it once");
                gradcheck::dot(&out, &grad_out)
            });
            let yours = Array::new(shape, values);
            let mismatch = gradcheck::compare(&yours, &right, &[])?;
            Some(Blame::Rule { at, operand, mismatch })
        })
    }

    /// Whether the gradients that the consumers gave were added up.
    fn blame_sum(&self, at: usize) -> Option<Blame> {
        let record = &self.records[at];
        let yours = Array::new(&record.shape, record.grad.as_ref()?);
        let mut given = Vec::new();
        for consumer in &self.records {
            for (parent, grad) in consumer.parents.iter().zip(&consumer.given) {
                if let (true, Some((shape, values))) =
                    (*parent == record.id, grad)
                {
                    given.push(Array::new(shape, values));
                }
            }
        }
        let first = given.first()?;
        let mut right = Array { shape: first.shape.clone(), values: vec![] };
        right.values = (0..first.values.len())
            .map(|i| given.iter().map(|g| g.values[i]).sum())
            .collect();
        let mismatch = gradcheck::compare(&yours, &right, &given)?;
        Some(Blame::Sum { at, mismatch })
    }
}
