//! Compares an engine's gradients with finite differences, and finds the cause
//! of a difference.
//!
//! A difference alone is not reported as an error: `f32` may have rounded, or
//! the input may be at a kink. An error needs a cause: a rule that is wrong
//! for its inputs, gradients that were not added, or a tape that computes a
//! different function.

use rungrad::gradcheck::{Mismatch, TOLERANCE, within};
use rungrad::reference::Array;
use rungrad::rng::Random;
use rungrad::shape::list;
use rungrad::tape::{Blame, Tape};
use rungrad::tolerance::{self, Slopes};

use super::part1::Outcome;
use super::request::Request;

/// The result of checking all gradients of an expression.
pub struct Verdict {
    /// For each input, in the order of the request.
    pub inputs: Vec<Input>,
    /// The cause, if a gradient is wrong.
    pub culprit: Option<Culprit>,
}

/// The cause of a wrong gradient.
pub enum Culprit {
    /// A rule, or a sum of gradients.
    Tape(Blame),
    /// The tape computes a different function.
    DifferentFunction,
}

/// The gradient of one input, and its finite differences.
pub struct Input {
    pub slopes: Slopes,
    pub finding: Finding,
}

pub enum Finding {
    Agree,
    Differ(Mismatch),
    /// The reason why the gradient cannot be checked.
    CannotJudge(String),
}

impl Verdict {
    /// Checks the result of an engine for a request.
    pub fn of(request: &Request, outcome: &Outcome) -> Verdict {
        let Request { expr, inputs, .. } = request;
        let array = |(_, values): &(String, Vec<f32>)| {
            Array::new(&[values.len()], values)
        };
        let arrays: Vec<Array> = inputs.iter().map(array).collect();
        let judge = |arrays: &[Array]| expr.judge(inputs, arrays);
        let tape = &outcome.tape;
        let culprit = tape.blame().map(Culprit::Tape).or_else(|| {
            let same = same_function(request, tape);
            (!same).then_some(Culprit::DifferentFunction)
        });
        let ones = tolerance::map(&judge(&arrays), |_, _| 1.0);
        let magnitudes = tape.magnitudes();
        let find = |(place, (name, _)): (usize, &(String, _))| {
            let slopes = tolerance::slopes(&arrays, place, &ones, judge);
            let leaf = tape
                .records
                .iter()
                .find(|leaf| leaf.name.as_ref() == Some(name));
            let magnitudes = leaf.and_then(|leaf| magnitudes.get(&leaf.id));
            let grad = &outcome.grads[place];
            let yours = Array::new(&arrays[place].shape, grad);
            let allowed = allowed(&slopes, magnitudes, tape.records.len());
            let finding = match within(&yours, &slopes.values, &allowed, &[]) {
                Some(mismatch) if culprit.is_some() => {
                    Finding::Differ(mismatch)
                }
                _ => match unchecked_reason(
                    request, tape, &yours, &slopes, &allowed,
                ) {
                    Some(why) => Finding::CannotJudge(why),
                    None => Finding::Agree,
                },
            };
            Input { slopes, finding }
        };
        let inputs = inputs.iter().enumerate().map(find).collect();
        Verdict { inputs, culprit }
    }
}

/// Returns the allowed difference between a right gradient and the finite
/// differences. Each step of the backward pass rounds its sums.
fn allowed(slopes: &Slopes, magnitudes: Option<&Array>, steps: usize) -> Array {
    let rounding = tolerance::rounding(steps) * steps as f64;
    // Intermediate values may have been too small for `f32`.
    let least = f64::from(f32::MIN_POSITIVE) * 1e6;
    tolerance::map(&slopes.values, |i, slope| {
        let magnitudes =
            magnitudes.map_or(0.0, |magnitudes| magnitudes.values[i]);
        let share = TOLERANCE * slope.abs();
        share + rounding * magnitudes + slopes.uncertainty(i) + least
    })
}

/// Returns why a gradient cannot be confirmed, or `None` if it can.
fn unchecked_reason(
    request: &Request,
    tape: &Tape,
    yours: &Array,
    slopes: &Slopes,
    allowed: &Array,
) -> Option<String> {
    let lost =
        |i: usize| slopes.noise.values[i] > 0.01 * difference_scale(slopes, i);
    let bad = |i: usize| {
        let apart = (yours.values[i] - slopes.values.values[i]).abs();
        let near = apart <= allowed.values[i];
        !near || !allowed.values[i].is_finite() || lost(i)
    };
    let i = slopes.nudged.iter().copied().find(|&i| bad(i))?;
    let slope = slopes.values.values[i];
    let element = format!("element [{i}]");
    Some(if let Some(at) = not_finite(tape) {
        let line = line(tape, at);
        format!("a value in line {line} is NaN or infinite in f32")
    } else if !slope.is_finite() {
        format!("there is no slope at {element}")
    } else if lost(i) {
        format!("the nudge of {element} is lost beside larger numbers")
    } else if let Some([low, high]) = slopes.kink(i) {
        format!(
            "{element} stands on a kink, with a slope of {low:.4} on one side \
             and {high:.4} on the other"
        )
    } else {
        match rounded(request, tape) {
            Some((at, place, yours, right)) => format!(
                "f32 rounds on the way: element [{place}] of line {} is \
                 {yours:.7e}, and {right:.7e} in f64",
                line(tape, at)
            ),
            None => "f32 rounds on the way".to_string(),
        }
    })
}

/// Returns the scale for the precision of a finite difference: its size, but
/// at least 1e-5.
fn difference_scale(slopes: &Slopes, i: usize) -> f64 {
    slopes.values.values[i].abs() + 1e-5
}

/// Returns the first line with a value that is not finite, or else the last
/// one with such a gradient.
fn not_finite(tape: &Tape) -> Option<usize> {
    let lost = |numbers: &Option<Vec<f32>>| {
        numbers.iter().flatten().any(|number| !number.is_finite())
    };
    let records = &tape.records;
    records
        .iter()
        .position(|record| lost(&record.values))
        .or_else(|| records.iter().rposition(|record| lost(&record.grad)))
}

/// Returns the name of a record in the picture of a tape.
pub fn line(tape: &Tape, at: usize) -> String {
    let name = tape.records[at].name.clone();
    name.unwrap_or_else(|| format!("%{at}"))
}

/// Formats the finite differences, and at a kink those of both sides.
pub fn nudged(input: &Input) -> String {
    let slopes = &input.slopes;
    let number = |value: f64| {
        let number = list(&[round(value)]);
        number.trim_matches(['[', ']']).to_string()
    };
    let word = |i: usize| match slopes.kink(i) {
        Some([low, high]) => format!("{} to {}", number(low), number(high)),
        None => number(slopes.values.values[i]),
    };
    let mut words: Vec<String> =
        slopes.nudged.iter().take(8).map(|&i| word(i)).collect();
    if slopes.nudged.len() > 8 {
        words.push(format!("... {} in all", slopes.nudged.len()));
    }
    format!("[{}]", words.join(", "))
}

/// Rounds to six digits, the precision of a finite difference.
fn round(value: f64) -> f32 {
    format!("{value:.5e}").parse().expect("a number, printed, is a number")
}

/// Returns the element with the largest relative rounding error: its line, its
/// index, and its value in `f32` and in `f64`.
fn rounded(request: &Request, tape: &Tape) -> Option<(usize, usize, f64, f64)> {
    let inputs = request.inputs.iter().map(|(name, values)| {
        (name.as_str(), Array::new(&[values.len()], values))
    });
    let replayed = tape.replay(&inputs.collect::<Vec<_>>())?;
    let mut worst = None;
    let mut most = 0.0;
    for (at, (record, right)) in tape.records.iter().zip(&replayed).enumerate()
    {
        let values = record.values.iter().flatten().zip(&right.values);
        for (place, (&yours, &right)) in values.enumerate() {
            let yours = f64::from(yours);
            let share = (yours - right).abs() / right.abs().max(yours.abs());
            if share > most {
                most = share;
                worst = Some((at, place, yours, right));
            }
        }
    }
    worst
}

/// Returns whether the tape computes the expression. It tries random inputs
/// between 0.5 and 1.5, where rounding errors are small, and most must agree.
fn same_function(request: &Request, tape: &Tape) -> bool {
    let mut random = Random::new(1);
    let mut near = || {
        let inputs = request.inputs.iter();
        let inputs: Vec<(&str, Array)> = inputs
            .map(|(name, values)| {
                let values = values.iter().map(|_| 0.5 + random.uniform());
                let values: Vec<f32> = values.collect();
                (name.as_str(), Array::new(&[values.len()], &values))
            })
            .collect();
        let replayed = tape.replay(&inputs)?;
        let yours = replayed.last()?.values.iter().sum::<f64>();
        let arrays: Vec<Array> = inputs.into_iter().map(|(_, a)| a).collect();
        let right = request.expr.judge(&request.inputs, &arrays);
        let right: f64 = right.values.iter().sum();
        let largest = replayed.iter().flat_map(|a| &a.values);
        let largest = largest.fold(1.0, |most: f64, x| most.max(x.abs()));
        let apart = (yours - right).abs();
        apart.is_finite().then_some(apart <= 1e-6 * largest)
    };
    let said: Vec<bool> = (0..8).filter_map(|_| near()).collect();
    let same = said.iter().filter(|near| **near).count();
    2 * same >= said.len()
}
