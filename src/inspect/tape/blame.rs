//! Finds the first wrong gradient rule of a tape, by checking each rule alone.

use std::collections::HashMap;

use super::{Record, Tape};
use crate::gradcheck::{Diagnosis, Mismatch, TOLERANCE, within};
use crate::ops::Op;
use crate::reference::{self, Array};
use crate::tolerance::{
    allowed, forward, magnitudes, map, reach, rounding, slopes,
};

/// A wrong gradient found by [`Tape::blame`], and its location.
#[derive(Clone, Debug, PartialEq)]
pub enum Blame {
    /// The rule of a record computes a wrong gradient for one operand.
    Rule {
        /// The position of the record on the tape.
        at: usize,
        /// The index of the operand.
        operand: usize,
        /// The computed gradient and the correct one.
        mismatch: Mismatch,
    },
    /// The rules are correct, but their gradients were not added up correctly.
    Sum {
        /// The position of the record on the tape.
        at: usize,
        /// The computed sum and the correct one.
        mismatch: Mismatch,
    },
}

impl Blame {
    /// Returns the position of the record with the wrong gradient.
    pub fn at(&self) -> usize {
        match self {
            Blame::Rule { at, .. } | Blame::Sum { at, .. } => *at,
        }
    }
}

/// Above this size, an intermediate result that multiplies three such numbers
/// may overflow `f32`, even if the operands and the result do not.
const MAX_SAFE_FACTOR: f64 = 1e12;

impl Tape {
    /// Finds the first wrong rule in backward order. Each rule is checked
    /// alone, with the values and the upstream gradient that it received,
    /// against finite differences of the `f64` reference. So a wrong rule is
    /// found even if a later one hides its error, and a correct one is not
    /// blamed for earlier rounding errors. Operations that the reference does
    /// not know are not checked; see [`Tape::unchecked`].
    pub fn blame(&self) -> Option<Blame> {
        let given = self.received();
        (0..self.records.len()).rev().find_map(|at| {
            let sum = given.get(&self.records[at].id);
            sum.and_then(|given| self.blame_sum(at, given))
                .or_else(|| self.blame_rule(at))
        })
    }

    /// Lists the operations that the reference does not know.
    pub fn unchecked(&self) -> Vec<&str> {
        let known =
            |r: &&Record| r.parents.is_empty() || self.inputs_of(r).is_some();
        let unknown = self.records.iter().filter(|r| !known(r));
        unknown.map(|r| r.op.name()).collect()
    }

    /// Returns a record's operands, if the reference can compute the record
    /// from them.
    fn inputs_of(&self, record: &Record) -> Option<Vec<Array>> {
        let inputs: Vec<Array> = record
            .parents
            .iter()
            .map(|&id| self.records[self.position(id)?].array())
            .collect::<Option<_>>()?;
        let borrowed: Vec<&Array> = inputs.iter().collect();
        reference::forward(&record.op, &borrowed)?;
        Some(inputs)
    }

    /// Collects the gradients that each record received from its consumers.
    fn received(&self) -> HashMap<u64, Vec<Array>> {
        let mut all: HashMap<u64, Vec<Array>> = HashMap::new();
        for consumer in &self.records {
            for (parent, given) in
                consumer.parents.iter().zip(&consumer.parent_grads)
            {
                if let Some((shape, values)) = given {
                    let given = Array::new(shape, values);
                    all.entry(*parent).or_default().push(given);
                }
            }
        }
        all
    }

    fn blame_rule(&self, at: usize) -> Option<Blame> {
        let record = &self.records[at];
        let grad_out = Array::new(&record.shape, record.grad.as_ref()?);
        let inputs = self.inputs_of(record)?;
        let numbers = inputs.iter().chain([&grad_out]).flat_map(|a| &a.values);
        let out = record.values.iter().flatten().map(|&x| f64::from(x));
        let all_finite = numbers.copied().chain(out).all(f64::is_finite);
        let far = reach(&record.op, &inputs, &grad_out) > MAX_SAFE_FACTOR;
        record.parent_grads.iter().enumerate().find_map(|(operand, given)| {
            let (shape, values) = given.as_ref()?;
            let yours = Array::new(shape, values);
            // Infinity times 0 is NaN in a correct rule too, so only check the
            // shape of gradients that involve infinities.
            if !all_finite && yours.shape == inputs[operand].shape {
                return None;
            }
            let right = slopes(&inputs, operand, &grad_out, |inputs| {
                forward(&record.op, inputs)
            });
            let allowed =
                allowed(&record.op, &inputs, operand, &grad_out, &right);
            let allowed = map(&allowed, |i, allowed| {
                let lost = yours.values.get(i).is_some_and(|y| !y.is_finite());
                if far && lost { f64::INFINITY } else { allowed }
            });
            let mismatch = within(&yours, &right.values, &allowed, &[])
                .or_else(|| uneven_tie(record, &inputs, &grad_out, &yours))?;
            Some(Blame::Rule { at, operand, mismatch })
        })
    }

    /// Checks that the gradients received from the consumers were added up.
    fn blame_sum(&self, at: usize, given: &[Array]) -> Option<Blame> {
        let record = &self.records[at];
        let yours = Array::new(&record.shape, record.grad.as_ref()?);
        // A gradient with a different shape comes from an unchecked rule.
        if given.iter().any(|g| g.shape != yours.shape) {
            return None;
        }
        let sum = |i: usize, size: fn(f64) -> f64| -> f64 {
            given.iter().map(|g| size(g.values[i])).sum()
        };
        let right = map(&given[0], |i, _| sum(i, |g| g));
        let allowed = map(&right, |i, right| {
            let magnitudes = rounding(given.len()) * sum(i, f64::abs);
            TOLERANCE * right.abs() + magnitudes + f64::from(f32::MIN_POSITIVE)
        });
        let mismatch = within(&yours, &right, &allowed, given)?;
        Some(Blame::Sum { at, mismatch })
    }

    /// Computes for each record the magnitude of the terms that are added up
    /// in its gradient, without cancellation. The rounding error of a correct
    /// gradient is proportional to it. Beyond an operation that the reference
    /// does not know, it starts again from the absolute gradient.
    pub fn magnitudes(&self) -> HashMap<u64, Array> {
        let mut all: HashMap<u64, Array> = HashMap::new();
        for record in self.records.iter().rev() {
            let grad = record.grad.as_ref().map(|grad| {
                let grad = Array::new(&record.shape, grad);
                map(&grad, |_, g| g.abs())
            });
            let (Some(here), Some(inputs)) =
                (all.get(&record.id).cloned().or(grad), self.inputs_of(record))
            else {
                continue;
            };
            for (operand, parent) in record.parents.iter().enumerate() {
                if record.parent_grads.get(operand).is_none_or(Option::is_none)
                {
                    continue;
                }
                let more = magnitudes(&record.op, &inputs, operand, &here);
                all.entry(*parent)
                    .and_modify(|sum| *sum = reference::add(sum, &more))
                    .or_insert(more);
            }
        }
        all
    }

    /// Recomputes the values of all records in `f64`, with new values for the
    /// leaves with the given names. Returns `None` if the reference does not
    /// know an operation.
    pub fn replay(&self, leaves: &[(&str, Array)]) -> Option<Vec<Array>> {
        let mut places: HashMap<u64, usize> = HashMap::new();
        let mut values: Vec<Array> = Vec::new();
        for record in &self.records {
            let name = record.name.as_deref();
            let leaf = leaves.iter().find(|(leaf, _)| Some(*leaf) == name);
            let value = match (leaf, record.parents.is_empty()) {
                (Some((_, value)), _) => value.clone(),
                (None, true) => record.array()?,
                (None, false) => {
                    let at = |id| places.get(id).map(|&at| &values[at]);
                    let inputs = record.parents.iter().map(at);
                    let inputs: Vec<&Array> = inputs.collect::<Option<_>>()?;
                    reference::forward(&record.op, &inputs)?
                }
            };
            places.insert(record.id, values.len());
            values.push(value);
        }
        Some(values)
    }
}

/// Checks the gradient of tied maxima. It may be split among them in any way,
/// so only its sum is checked, against the finite difference of moving all
/// elements together.
fn uneven_tie(
    record: &Record,
    inputs: &[Array],
    grad_out: &Array,
    yours: &Array,
) -> Option<Mismatch> {
    let (Op::Max(..), [x]) = (&record.op, inputs) else { return None };
    // Start at the largest element; the difference of a step from 0 would lose
    // the digits of the step.
    let size = x.values.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    let start = Array { shape: vec![1], values: vec![size] };
    let right = slopes(&[start], 0, grad_out, |t| {
        let step = t[0].values[0] - size;
        forward(&record.op, &[map(x, |_, x| x + step)])
    });
    let sum = |a: &Array| Array {
        shape: vec![1],
        values: vec![a.values.iter().sum()],
    };
    let total = sum(&map(grad_out, |_, g| g.abs())).values[0];
    let allowed =
        map(&right.values, |i, _| TOLERANCE * total + right.uncertainty(i));
    within(&sum(yours), &right.values, &allowed, &[])?;
    let right = slopes(inputs, 0, grad_out, |x| forward(&record.op, x));
    Some(Mismatch {
        yours: yours.clone(),
        right: right.values,
        diagnosis: Diagnosis::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Keep;

    /// Runs blame on a rule of `op` that returns `given` for its first
    /// operand.
    fn blamed(
        op: Op,
        inputs: &[&[f32]],
        value: &[f32],
        grad_out: &[f32],
        given: &[f32],
    ) -> bool {
        let mut records: Vec<Record> = Vec::new();
        for values in inputs {
            let (id, shape) = (records.len() as u64, [values.len()]);
            let values = Some(values.to_vec());
            records.push(Record::new(id, Op::Leaf, vec![], &shape, values));
        }
        let parents = (0..inputs.len() as u64).collect();
        let shape = match op {
            Op::Max(..) => vec![],
            _ => vec![value.len()],
        };
        let values = Some(value.to_vec());
        let mut last = Record::new(9, op, parents, &shape, values);
        last.grad = Some(grad_out.to_vec());
        last.parent_grads = vec![Some((vec![inputs[0].len()], given.to_vec()))];
        records.push(last);
        Tape::new(records).blame().is_some()
    }

    #[test]
    fn a_tie_may_be_split_but_not_doubled() {
        let of = |given: &[f32]| {
            let max = Op::Max(vec![0], Keep::No);
            blamed(max, &[&[3.0, 3.0, 1.0]], &[3.0], &[2.0], given)
        };
        assert!(!of(&[1.0, 1.0, 0.0]));
        assert!(!of(&[2.0, 0.0, 0.0]));
        assert!(of(&[2.0, 2.0, 0.0]));
        assert!(of(&[0.0, 0.0, 0.0]));
        assert!(of(&[1.0, 0.5, 0.5]));
    }

    #[test]
    fn rules_with_non_finite_inputs_are_not_checked() {
        let infinite: &[&[f32]] = &[&[2.0, 0.0], &[f32::INFINITY, 1.0]];
        let out = [f32::INFINITY, 0.0];
        assert!(!blamed(
            Op::Mul,
            infinite,
            &out,
            &[0.0, 1.0],
            &[f32::NAN, 1.0]
        ));
        // The product of three such numbers overflows `f32`.
        let far: &[&[f32]] = &[&[1e-30, 2.0]];
        let given = [f32::NEG_INFINITY, -0.25];
        let pow = || Op::Pow(-1.0);
        assert!(!blamed(pow(), far, &[1e30, 0.5], &[1e-30, 1.0], &given));
        let near: &[&[f32]] = &[&[1e-3, 2.0]];
        assert!(blamed(pow(), near, &[1e3, 0.5], &[1e-3, 1.0], &given));
    }

    #[test]
    fn canceling_gradients_may_differ_only_by_rounding() {
        let of = |got: f32| {
            let one = |id, op, parents: &[u64]| {
                Record::new(id, op, parents.to_vec(), &[1], Some(vec![1.0]))
            };
            let parts = [1e8_f32, -1e8, 1.0];
            let mut records = vec![one(0, Op::Leaf, &[])];
            for (id, part) in (1..).zip(parts) {
                let mut record = one(id, Op::Relu, &[0]);
                record.grad = Some(vec![part]);
                record.parent_grads = vec![Some((vec![1], vec![part]))];
                records.push(record);
            }
            records[0].grad = Some(vec![got]);
            matches!(Tape::new(records).blame(), Some(Blame::Sum { .. }))
        };
        // In a different order of addition, the 1 is rounded away.
        assert!(!of(1.0) && !of(0.0) && !of(9.0));
        assert!(of(1e4) && of(-1e8));
    }

    #[test]
    fn a_wrong_gradient_shape_is_always_blamed() {
        let one = |id, op, parents: &[u64]| {
            let values = Some(vec![f32::INFINITY; 2]);
            Record::new(id, op, parents.to_vec(), &[2], values)
        };
        let used = |id, given: &[f32]| {
            let mut record = one(id, Op::Relu, &[0]);
            record.grad = Some(vec![1.0, 1.0]);
            let shape = vec![given.len()];
            record.parent_grads = vec![Some((shape, given.to_vec()))];
            record
        };
        for given in [[&[1.0, 1.0][..], &[1.0]], [&[1.0], &[1.0, 1.0]]] {
            let mut records = vec![one(0, Op::Leaf, &[])];
            records[0].grad = Some(vec![2.0, 2.0]);
            records.extend((1..).zip(given).map(|(id, it)| used(id, it)));
            let wrong = 1 + given.iter().position(|it| it.len() == 1).unwrap();
            let blame = Tape::new(records).blame().expect("a wrong rule");
            assert!(matches!(blame, Blame::Rule { at, .. } if at == wrong));
        }
    }

    #[test]
    fn a_saturated_rule_may_return_rounding_errors() {
        let x: &[&[f32]] = &[&[9.0]];
        let of = |given: f32| blamed(Op::Tanh, x, &[1.0], &[5.0], &[given]);
        assert!(!of(0.0));
        assert!(!of(6e-7));
        assert!(of(1e-3));
    }

    #[test]
    fn only_operands_with_gradients_have_magnitudes() {
        let leaf =
            |id, x: f32| Record::new(id, Op::Leaf, vec![], &[1], Some(vec![x]));
        let value = Some(vec![-6.0]);
        let mut product = Record::new(2, Op::Mul, vec![0, 1], &[1], value);
        product.grad = Some(vec![5.0]);
        product.parent_grads = vec![Some((vec![1], vec![-15.0])), None];
        let tape = Tape::new(vec![leaf(0, 2.0), leaf(1, -3.0), product]);
        let found = tape.magnitudes();
        assert!((found[&0].values[0] - 15.0).abs() < 1e-3, "{found:?}");
        assert!(!found.contains_key(&1), "{found:?}");
    }

    #[test]
    fn replay_replaces_the_values_of_named_leaves() {
        let leaf = |id, values: [f32; 2]| {
            Record::new(id, Op::Leaf, vec![], &[2], Some(values.to_vec()))
        };
        let (mut x, y) = (leaf(0, [1.0, 2.0]), leaf(1, [3.0, 4.0]));
        x.name = Some("x".into());
        let product = Record::new(2, Op::Mul, vec![0, 1], &[2], None);
        let tape = Tape::new(vec![x, y, product]);
        let last = |leaves: &[(&str, Array)]| {
            tape.replay(leaves).and_then(|mut all| all.pop()).unwrap().values
        };
        let other = |name| [(name, Array::new(&[2], &[10.0, 20.0]))];
        assert_eq!(last(&[]), [3.0, 8.0]);
        assert_eq!(last(&other("x")), [30.0, 80.0]);
        assert_eq!(last(&other("y")), [3.0, 8.0]);
    }
}
