//! Compares a step's values with the expected ones and its gradients with
//! finite differences, and names the first wrong rule.

use rungrad::gradcheck::{compare, slope};
use rungrad::reference::Array;
use rungrad::tape::{Blame, Record, Tape};

use crate::mistakes;
use crate::verdict::{Outcome, Stop, wrong};

/// Compares values whose expected values are computed directly.
pub fn expect(what: &str, yours: &[f32], right: &[f32]) -> Outcome {
    if yours.len() != right.len() {
        let (yours, right) = (yours.len(), right.len());
        return Err(wrong(format!(
            "{what} has the wrong number of elements: {yours} instead of \
             {right}."
        )));
    }
    let differs = |(y, r): (&f32, &f32)| {
        // A comparison with NaN is false, so NaN is never near.
        let near = (y - r).abs() <= 1e-5 * r.abs().max(1.0);
        !near
    };
    match yours.iter().zip(right).position(differs) {
        None => Ok(()),
        Some(at) => Err(wrong(format!(
            "{what} is wrong at element {at}, counted from 0.\n\n  yours  {}\n  \
             right  {}",
            yours[at], right[at]
        ))),
    }
}

/// Compares arrays. The expected values do not come from finite differences,
/// so the table does not say so.
pub fn values(what: &str, yours: &Array, right: &Array) -> Outcome {
    match compare(yours, right, &[]) {
        None => Ok(()),
        Some(mismatch) => Err(wrong(format!(
            "{what} is wrong.\n\n{}",
            mismatch.to_string().replacen("by nudging", "     right", 1)
        ))),
    }
}

/// Checks the recorded backward pass of `expression`.
///
/// First each rule is checked alone on the tape, so that a wrong one can be
/// named. Then the gradient of each leaf is compared with the finite
/// difference of `f`, which computes the same expression from the values of
/// the leaves. `leaves` are their names on the tape in the order of `f`'s
/// arguments; a leaf that is used twice is named twice, and its gradient is
/// the sum of both derivatives.
pub fn judge(
    expression: &str,
    tape: &Tape,
    leaves: &[&str],
    f: impl Fn(&[Array]) -> f64,
) -> Outcome {
    if let Some(blame) = tape.blame() {
        let words = accuse(tape, &blame);
        return Err(with_tape(expression, words, tape, Some(blame.at())));
    }
    let mut inputs = Vec::new();
    for leaf in leaves {
        let found = tape.records.iter().find(|it| is_named(it, leaf));
        let Some(values) = found.and_then(array) else {
            let words = format!(
                "{leaf} is not on the tape. The operation that uses it must \
                 list it among its operands."
            );
            return Err(with_tape(expression, words, tape, None));
        };
        inputs.push(values);
    }
    for (first, leaf) in leaves.iter().enumerate() {
        if leaves[..first].contains(leaf) {
            continue;
        }
        let parts: Vec<Array> = (first..leaves.len())
            .filter(|&k| leaves[k] == *leaf)
            .map(|k| slope(&inputs, k, &f))
            .collect();
        gradient(expression, tape, leaf, &parts)?;
    }
    match tape.unchecked().first() {
        None => Ok(()),
        Some(op) => {
            let words = format!(
                "The tape has an operation \"{op}\" that the check does not \
                 know with these operands. Keep the engine's name, and list \
                 every operand."
            );
            Err(with_tape(expression, words, tape, None))
        }
    }
}

/// Checks that the gradient of a leaf is the sum of `parts`.
fn gradient(
    expression: &str,
    tape: &Tape,
    leaf: &str,
    parts: &[Array],
) -> Outcome {
    let at = tape.records.iter().position(|it| is_named(it, leaf));
    let at = at.expect("it was found before");
    let record = &tape.records[at];
    let Some(grad) = &record.grad else {
        let words = format!("No gradient arrived at {leaf}.");
        return Err(with_tape(expression, words, tape, Some(at)));
    };
    let mut right = parts[0].clone();
    for part in &parts[1..] {
        let pairs = right.values.iter_mut().zip(&part.values);
        pairs.for_each(|(sum, more)| *sum += more);
    }
    let yours = Array::new(&record.shape, grad);
    match compare(&yours, &right, parts) {
        None => Ok(()),
        Some(mismatch) => {
            let words = format!(
                "The gradient of {leaf} is wrong, although every rule is \
                 right.\n\n{mismatch}"
            );
            Err(with_tape(expression, words, tape, Some(at)))
        }
    }
}

/// Describes the first wrong rule.
pub fn accuse(tape: &Tape, blame: &Blame) -> String {
    match blame {
        Blame::Rule { at, operand, mismatch } => {
            let record = &tape.records[*at];
            let inputs: Option<Vec<Array>> = record
                .parents
                .iter()
                .map(|&id| array(&tape.records[tape.position(id)?]))
                .collect();
            let mut mismatch = mismatch.clone();
            if let (Some(inputs), Some(grad)) = (inputs, &record.grad) {
                let grad_out = Array::new(&record.shape, grad);
                let op = record.op.name();
                mistakes::explain(
                    &mut mismatch,
                    op,
                    &inputs,
                    &grad_out,
                    *operand,
                );
            }
            let name = record.parents[*operand];
            let name = tape.position(name).and_then(|at| {
                let name = tape.records[at].name.as_ref()?;
                Some(format!(" ({name})"))
            });
            format!(
                "The rule of {} is wrong for operand {operand}{}.\n\n{mismatch}",
                record.op,
                name.unwrap_or_default()
            )
        }
        Blame::Sum { at, mismatch } => {
            let record = &tape.records[*at];
            let name = record.name.as_deref().unwrap_or("this tensor");
            let users = tape.records.iter().flat_map(|it| &it.parents);
            match users.filter(|user| **user == record.id).count() {
                1 => format!(
                    "The gradient of {name} differs from the one that was \
                     passed to it.\n\n{mismatch}"
                ),
                _ => format!(
                    "Several gradients were passed to {name}, and their sum is \
                     wrong.\n\n{mismatch}"
                ),
            }
        }
    }
}

fn with_tape(
    expression: &str,
    words: String,
    tape: &Tape,
    at: Option<usize>,
) -> Stop {
    let words = format!("{words}\n\nThe tape of {expression}:");
    Stop::Wrong { words, tape: Some((tape.clone(), at)) }
}

fn is_named(record: &Record, name: &str) -> bool {
    record.name.as_deref() == Some(name)
}

fn array(record: &Record) -> Option<Array> {
    Some(Array::new(&record.shape, record.values.as_ref()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_beside_the_right_ones_and_nobody_has_nudged() {
        let of = |x: [f32; 2]| Array::new(&[2], &x);
        assert!(values("it", &of([1.0, 2.0]), &of([1.0, 2.0])).is_ok());
        let Err(Stop::Wrong { words, .. }) =
            values("it", &of([1.0, 2.5]), &of([1.0, 2.0]))
        else {
            panic!("it is wrong");
        };
        assert!(!words.contains("nudging"), "{words}");
        assert!(words.contains("yours        right"), "{words}");
    }
}
