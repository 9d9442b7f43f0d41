//! A question that is answered by doing: the reader writes down a gradient, an
//! order, a count or a place, and it is judged in the words of the terminal.

use rungrad::Error;
use rungrad::gradcheck::compare;
use rungrad::reference::Array;
use serde_json::{Value, json};

use crate::bench::part1;
use crate::bench::verdict::Verdict;
use crate::descent::Walk;
use crate::diamond;
use crate::expression::request;
use crate::owners::Owners;

/// Answers the reader's words and what they are about: whether they are
/// right, and what there is to say about them.
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
    Ok(json!({ "right": wrong.is_none(), "words": wrong }))
}

/// Judges a gradient by nudging: that of an input of an expression.
fn gradient(
    yours: &str,
    of: &str,
    about: &[&str],
) -> Result<Option<String>, Error> {
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
    Ok(compare(&yours, right, &[]).map(|mismatch| mismatch.to_string()))
}

/// Judges an order of the diamond's tensors: any in which each stands once,
/// and after its parents.
fn order(yours: &str) -> Option<String> {
    let nodes = diamond::nodes();
    let yours: Vec<char> =
        yours.chars().filter(|it| it.is_alphabetic()).collect();
    for (at, name) in yours.iter().enumerate() {
        let before = &yours[..at];
        let Some(node) = nodes.get(name) else {
            return Some(format!("There is no tensor {name}."));
        };
        if before.contains(name) {
            return Some(format!("{name} stands in the order more than once."));
        }
        let missing = nodes.iter().find(|(parent, it)| {
            let is_parent = node.parents().iter().any(|p| p.id() == it.id());
            is_parent && !before.contains(parent)
        });
        if let Some((parent, _)) = missing {
            return Some(format!(
                "{name} stands before its parent {parent}. A tensor's turn \
                 comes when all its parents are in the order."
            ));
        }
    }
    let missing = nodes.keys().find(|name| !yours.contains(name));
    missing.map(|name| format!("{name} is missing."))
}

/// Judges how many owners a tensor has after some steps.
fn owners(
    yours: &str,
    of: &str,
    steps: &str,
    rule: &str,
) -> Result<Option<String>, Error> {
    let yours = read(yours)?;
    let counts = Owners::of(rule, steps)?.counts();
    let place = "abc".find(of).unwrap_or(0);
    let right = counts[place] as f32;
    Ok((yours != [right])
        .then(|| format!("{of} has {right} owners, and not {}.", list(&yours))))
}

/// Judges where a walk has come to, along its first axis.
fn place(
    yours: &str,
    ground: &str,
    about: &[&str],
) -> Result<Option<String>, Error> {
    let yours = read(yours)?;
    let trail = Walk::of(ground, about)?.trail();
    let right = trail.last().map_or(0.0, |(place, _)| place[0]);
    let is_right = yours.len() == 1 && (yours[0] - right).abs() < 1e-3;
    let way: Vec<f32> = trail.iter().map(|(place, _)| place[0]).collect();
    Ok((!is_right).then(|| format!("The way is {}.", list(&way))))
}

fn list(values: &[f32]) -> String {
    let words: Vec<String> = values.iter().map(f32::to_string).collect();
    words.join(", ")
}

fn read(yours: &str) -> Result<Vec<f32>, Error> {
    let number = |word: &str| {
        let word = word.trim();
        word.parse::<f32>().map_err(|_| {
            Error::Usage(format!(
                "`{word}` is no number; write for example 2, or 2,3.5 where \
                 there are two"
            ))
        })
    };
    yours.split(',').map(number).collect()
}
