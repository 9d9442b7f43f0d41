//! Plants wrong rules on the tape of a right engine.

use rungrad::reference::Array;
use rungrad::tape::{Record, Tape};

use testkit::random::Random;

/// Common errors in backward rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A wrong constant factor.
    Scaled,
    /// A wrong sign.
    Sign,
    /// A gradient of zeros.
    Zero,
    /// The gradients of the two operands are swapped.
    Swapped,
    /// The local derivative is missing.
    Dropped,
    /// `grad_out` is missing.
    Forgetful,
    /// The gradient of a broadcast operand is not summed.
    NotSummed,
    /// Gradients overwrite each other instead of being added.
    Overwritten,
    /// One element is wrong.
    OneElement,
    /// One element is NaN.
    NotANumber,
}

pub const FAULTS: [Fault; 10] = [
    Fault::Scaled,
    Fault::Sign,
    Fault::Zero,
    Fault::Swapped,
    Fault::Dropped,
    Fault::Forgetful,
    Fault::NotSummed,
    Fault::Overwritten,
    Fault::OneElement,
    Fault::NotANumber,
];

/// Plants an error at a random position of the tape where it is possible and
/// large enough for `f32` to show it. Returns the index of the wrong rule, or
/// of the tensor whose gradients are not added.
pub fn plant(
    fault: Fault,
    tape: &mut Tape,
    random: &mut Random,
) -> Option<usize> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (at, record) in tape.records.iter().enumerate() {
        places.extend(
            (0..record.parent_grads.len()).map(|operand| (at, operand)),
        );
    }
    random.shuffle(&mut places);
    if fault == Fault::Overwritten {
        return overwrite(tape);
    }
    places.into_iter().find_map(|(at, operand)| {
        let old = tape.records[at].parent_grads[operand].clone()?;
        let new = wrong(fault, tape, at, operand, random)?;
        let shows = new.0 != old.0 || {
            let record = &tape.records[at];
            let operand = parent(tape, record, operand);
            shows(record, operand, &old.1, &new.1)
        };
        shows.then(|| {
            tape.records[at].parent_grads[operand] = Some(new);
            at
        })
    })
}

fn parent<'a>(tape: &'a Tape, record: &Record, operand: usize) -> &'a Record {
    let at = tape.position(record.parents[operand]);
    &tape.records[at.expect("a parent")]
}

type Flat = (Vec<usize>, Vec<f32>);

fn wrong(
    fault: Fault,
    tape: &Tape,
    at: usize,
    operand: usize,
    random: &mut Random,
) -> Option<Flat> {
    let record = &tape.records[at];
    let (shape, mut values) = record.parent_grads[operand].clone()?;
    let grad = record.grad.as_ref()?;
    match fault {
        Fault::Scaled => {
            let factor = [2.0, 0.5, 1.1, 3.0][random.below(4)];
            values.iter_mut().for_each(|v| *v *= factor);
        }
        Fault::Sign => values.iter_mut().for_each(|v| *v = -*v),
        Fault::Zero => values.fill(0.0),
        Fault::Swapped => {
            let (other, theirs) =
                record.parent_grads.get(1 - operand.min(1))?.clone()?;
            if record.parents.len() != 2 || other != shape {
                return None;
            }
            values = theirs;
        }
        Fault::Dropped => {
            if grad.len() != values.len() || record.shape != shape {
                return None;
            }
            values.clone_from(grad);
        }
        Fault::Forgetful => {
            if record.shape != shape {
                return None;
            }
            values.iter_mut().zip(grad).for_each(|(v, g)| *v /= g);
        }
        Fault::NotSummed => {
            let stretches = ["mul", "add", "div", "expand"];
            let stretches = stretches.contains(&record.op.name());
            if values.len() == grad.len() || !stretches {
                return None;
            }
            return Some((record.shape.clone(), grad.clone()));
        }
        Fault::Overwritten => return None,
        Fault::OneElement => {
            let at = random.below(values.len());
            values[at] *= 1.5;
        }
        Fault::NotANumber => {
            let at = random.below(values.len());
            values[at] = f32::NAN;
        }
    }
    Some((shape, values))
}

/// Returns whether two gradients differ by more than `f32` may round. The
/// threshold is 1 % where a rule multiplies, and a small fraction of
/// `grad_out` where it subtracts. At a kink, no gradient is wrong.
fn shows(record: &Record, operand: &Record, old: &[f32], new: &[f32]) -> bool {
    let grad = record.grad.as_deref().unwrap_or(&[]);
    let largest = grad.iter().fold(0.0f32, |most, g| most.max(g.abs()));
    let floor = match record.op.name() {
        "tanh" | "sigmoid" | "log_softmax" => 1e-4 * largest,
        _ => 1e-25,
    };
    let x = operand.values.as_deref().unwrap_or(&[]);
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let ties = x.iter().filter(|&&x| x == most).count();
    let kink = |i: usize| match record.op.name() {
        "relu" => x[i] == 0.0,
        "max" => x[i] == most && ties > 1,
        _ => false,
    };
    (0..old.len()).any(|i| {
        let differs = (new[i] - old[i]).abs() > 0.01 * old[i].abs() + floor;
        old[i].is_finite() && !kink(i) && (differs || new[i].is_nan())
    })
}

/// Replaces the gradient of one tensor with the last one that it received.
fn overwrite(tape: &mut Tape) -> Option<usize> {
    (0..tape.records.len()).find(|&at| {
        let record = &tape.records[at];
        let mut given: Vec<Array> = Vec::new();
        for consumer in &tape.records {
            for (parent, grad) in
                consumer.parents.iter().zip(&consumer.parent_grads)
            {
                if let (true, Some((shape, values))) =
                    (*parent == record.id, grad)
                {
                    given.push(Array::new(shape, values));
                }
            }
        }
        let (Some(last), Some(sum)) = (given.last(), &record.grad) else {
            return false;
        };
        let last: Vec<f32> = last.values.iter().map(|&v| v as f32).collect();
        let met =
            |i: usize| given.iter().map(|g| g.values[i].abs()).sum::<f64>();
        let shows = (0..last.len()).any(|i| {
            sum[i].is_finite()
                && f64::from((last[i] - sum[i]).abs()) > 0.01 * met(i) + 1e-25
        });
        if shows {
            tape.records[at].grad = Some(last);
        }
        shows
    })
}
