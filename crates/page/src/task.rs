//! The questions on the pages: checks a reader's gradient, order, count or
//! position, with the verdicts of the terminal.

use rungrad::Error;
use rungrad::gradcheck::{Diagnosis, Mismatch, compare};
use rungrad::reference::Array;
use serde_json::{Value, json};

use crate::descent::Walk;
use crate::diamond;
use crate::expression::request;
use crate::owners::Owners;
use tools::expression::part1;
use tools::expression::verdict::Verdict;

/// The verdict on a wrong answer: a reason that does not reveal the right
/// answer, and the full verdict, which does.
struct Wrong {
    reason: String,
    verdict: String,
}

/// Checks the reader's answer to a question. Returns whether it is right, and
/// the verdict.
pub(crate) fn answer(kind: &str, words: &[&str]) -> Result<Value, Error> {
    let [yours, about @ ..] = words else {
        return Err(Error::Usage(
            "a question has an answer of the reader's".to_string(),
        ));
    };
    let wrong = match (kind, about) {
        ("gradient", [of, about @ ..]) => gradient(yours, of, about)?,
        ("order", []) => order(yours),
        ("owners", [of, steps, rule]) => owners(yours, of, steps, rule)?,
        ("place", [ground, about @ ..]) => place(yours, ground, about)?,
        _ => {
            return Err(Error::Usage(format!("`{kind}` is no such question")));
        }
    };
    let (reason, verdict) = match &wrong {
        Some(Wrong { reason, verdict }) => (Some(reason), Some(verdict)),
        None => (None, None),
    };
    let right = wrong.is_none();
    Ok(json!({ "right": right, "reason": reason, "words": verdict }))
}

/// Checks the gradient of an input of an expression with finite differences.
fn gradient(
    yours: &str,
    of: &str,
    about: &[&str],
) -> Result<Option<Wrong>, Error> {
    let yours = read(yours)?;
    let request = request(about)?;
    let outcome = part1::run(&request)?;
    let place = request.inputs.iter().position(|(name, _)| name == of);
    let place = place.ok_or_else(|| {
        Error::Usage(format!("the expression has no input `{of}`"))
    })?;
    let verdict = Verdict::of(&request, &outcome);
    let right = &verdict.inputs[place].slopes.values;
    let yours = Array::new(&[yours.len()], &yours);
    let wrong = compare(&yours, right, &[]);
    Ok(wrong.map(|mismatch| Wrong {
        reason: reason(&mismatch),
        verdict: mismatch.to_string(),
    }))
}

/// Returns why a gradient is wrong, without revealing the right values.
fn reason(wrong: &Mismatch) -> String {
    let (yours, right) = (&wrong.yours.values, &wrong.right.values);
    // Checks this element alone, with all others right.
    let is_off = |i: &usize| {
        let mut one = wrong.right.clone();
        one.values[*i] = yours[*i];
        compare(&one, &wrong.right, &[]).is_some()
    };
    match &wrong.diagnosis {
        Diagnosis::Shape | Diagnosis::NotSummed => {
            counted(yours.len(), right.len())
        }
        Diagnosis::AllZero => {
            "0 is the slope of what does not move at all.".to_string()
        }
        Diagnosis::Sign => "The sign is wrong.".to_string(),
        Diagnosis::Factor(_) => {
            "Every element is off by the same factor.".to_string()
        }
        _ if right.len() == 1 => direction(yours[0], right[0]),
        _ => {
            let off: Vec<usize> = (0..right.len()).filter(is_off).collect();
            match off[..] {
                [one] => format!("Not right is element {one}, counted from 0."),
                _ if off.len() == right.len() => {
                    "No element is right.".to_string()
                }
                _ => format!(
                    "Not right are elements {}, counted from 0.",
                    list(&off)
                ),
            }
        }
    }
}

/// Compares the expected and the actual number of elements.
fn counted(yours: usize, right: usize) -> String {
    let numbers = |count: usize| match count {
        1 => "one number".to_string(),
        count => format!("{count} numbers"),
    };
    format!(
        "It has {}, and yours {}: a gradient has the shape of its tensor.",
        numbers(right),
        numbers(yours)
    )
}

/// Returns the direction of the right value. It avoids "larger" and "smaller",
/// which are ambiguous for negative numbers.
fn direction(yours: f64, right: f64) -> String {
    let word = if yours < right { "more" } else { "less" };
    format!("It is {word} than {}.", yours as f32)
}

/// Checks an order of the diamond's tensors. Every order is right in which
/// each tensor occurs once and after its operands. The reason does not reveal
/// a right order.
fn order(yours: &str) -> Option<Wrong> {
    let nodes = diamond::nodes();
    let yours = yours.to_lowercase();
    let yours: Vec<char> =
        yours.chars().filter(|it| it.is_alphabetic()).collect();
    let said =
        |words: String| Some(Wrong { reason: words.clone(), verdict: words });
    for (at, name) in yours.iter().enumerate() {
        let before = &yours[..at];
        let Some(node) = nodes.get(name) else {
            return said(format!("There is no tensor {name}."));
        };
        if before.contains(name) {
            return said(format!("{name} stands in the order more than once."));
        }
        let missing = nodes.iter().find(|(parent, it)| {
            let is_parent = node.parents().iter().any(|p| p.id() == it.id());
            is_parent && !before.contains(parent)
        });
        if let Some((parent, _)) = missing {
            return said(format!(
                "{name} stands before its parent {parent}. A tensor's turn \
                 comes when all its parents are in the order."
            ));
        }
    }
    let missing = nodes.keys().find(|name| !yours.contains(name))?;
    said(format!("{missing} is missing."))
}

/// Checks the number of owners of a tensor after some steps.
fn owners(
    yours: &str,
    of: &str,
    steps: &str,
    rule: &str,
) -> Result<Option<Wrong>, Error> {
    let yours = parse_single(yours)?;
    let counts = Owners::run(rule, steps)?.counts();
    let place = "abc".find(of).unwrap_or(0);
    let right = counts[place];
    let words = || format!("{of} has {right} owners, and not {yours}.");
    Ok((yours != right as f32).then(|| Wrong {
        reason: direction(yours.into(), right as f64),
        verdict: words(),
    }))
}

/// Checks the first coordinate of the end of a walk.
fn place(
    yours: &str,
    ground: &str,
    about: &[&str],
) -> Result<Option<Wrong>, Error> {
    let yours = parse_single(yours)?;
    let trail = Walk::parse(ground, about)?.trail();
    let way: Vec<f32> = trail.iter().map(|(place, _)| place[0]).collect();
    let right = way[way.len() - 1];
    let is_right = (yours - right).abs() < 1e-3;
    Ok((!is_right).then(|| Wrong {
        reason: direction(yours.into(), right.into()),
        verdict: format!("The way is {}.", list(&way)),
    }))
}

fn list<T: ToString>(values: &[T]) -> String {
    let words: Vec<String> = values.iter().map(T::to_string).collect();
    words.join(", ")
}

/// Parses a single value.
pub(crate) fn parse_single(yours: &str) -> Result<f32, Error> {
    match read(yours)?[..] {
        [only] => Ok(only),
        _ => Err(Error::Usage(format!(
            "`{yours}` are several numbers, and one is asked for; write for \
             example 2"
        ))),
    }
}

/// Parses values and fractions, separated by commas, with or without brackets.
fn read(yours: &str) -> Result<Vec<f32>, Error> {
    let number = |word: &str| {
        let word = word.trim();
        let plain = word.replace('\u{2212}', "-");
        let part = |it: &str| it.trim().parse::<f32>().ok();
        let value = match plain.split_once('/') {
            Some((above, below)) => {
                part(above).zip(part(below)).map(|(a, b)| a / b)
            }
            None => part(&plain),
        };
        value.filter(|it| it.is_finite()).ok_or_else(|| {
            Error::Usage(format!(
                "`{word}` is no number; write for example 2 or -1/4, or \
                 2,3.5 where there are two"
            ))
        })
    };
    let yours = yours.trim();
    let inside = yours.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    inside.unwrap_or(yours).split(',').map(number).collect()
}
