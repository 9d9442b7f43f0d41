//! The sentences that describe the steps of an animated picture.

use super::super::{label, operands, values};
use crate::shape::list;
use crate::tape::{Record, Tape};

/// Returns the sentence of a forward step: `c = mul(a, b) is [6, 12].`
pub(super) fn forward(tape: &Tape, at: usize) -> String {
    let record = &tape.records[at];
    let operands = operands(tape, record).join(", ");
    let (name, op) = (label(tape, at), &record.op);
    format!("{name} = {op}({operands}) is {}.", values(record))
}

/// Returns the sentence of the first backward step.
pub(super) fn seed(tape: &Tape, root: usize) -> String {
    let grad = tape.records[root].grad.as_deref().map_or(String::new(), list);
    let name = label(tape, root);
    format!("Backward begins: the gradient of {name} is {grad}.")
}

/// Returns the sentence of a backward step: `mul gives [3, 4] to a.`
pub(super) fn backward(tape: &Tape, at: usize) -> String {
    let record = &tape.records[at];
    let operands = operands(tape, record).into_iter().enumerate();
    let given: Vec<String> = operands
        .zip(&record.parent_grads)
        .filter_map(|((place, name), given)| {
            let (_, grad) = given.as_ref()?;
            let total = total(tape, at, place);
            Some(format!("{} to {name}{total}", list(grad)))
        })
        .collect();
    format!("Backward: {} gives {}.", record.op, given.join(" and "))
}

/// Describes the sum of the gradients of an operand after this step, if it
/// receives several. The backward pass runs from the end of the tape, so the
/// remaining contributions are from records before this one.
fn total(tape: &Tape, at: usize, place: usize) -> String {
    let parents = &tape.records[at].parents;
    let id = parents[place];
    let uses = |ids: &[u64]| ids.iter().filter(|other| **other == id).count();
    let given = |records: &[Record]| -> usize {
        let sweep = records.iter().filter(|r| r.grad.is_some());
        sweep.map(|r| uses(&r.parents)).sum()
    };
    let to_come = given(&tape.records[..at]) + uses(&parents[place + 1..]);
    let known = tape.position(id).and_then(|p| tape.records[p].grad.as_ref());
    match known {
        Some(_) if to_come > 0 => ", which gets more".to_string(),
        Some(grad) if given(&tape.records) > 1 => {
            format!(", {} in all", list(grad))
        }
        _ => String::new(),
    }
}
