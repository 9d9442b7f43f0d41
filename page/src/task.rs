//! A question that is answered by doing: the reader writes down a gradient,
//! and it is judged by nudging, in the words of the terminal.

use rungrad::Error;
use rungrad::gradcheck::compare;
use rungrad::reference::Array;
use serde_json::{Value, json};

use crate::bench::part1;
use crate::bench::verdict::Verdict;
use crate::expression::request;

/// Answers the name of an input, the reader's numbers for its gradient, and
/// then an expression with its inputs.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [of, yours, expression @ ..] = words else {
        return Err(Error::Usage(
            "a question has the name of an input and numbers".to_string(),
        ));
    };
    let number = |word: &str| {
        let word = word.trim();
        word.parse::<f32>().map_err(|_| {
            Error::Usage(format!(
                "`{word}` is no number; write for example 2, or 2,3.5 where \
                 there are two"
            ))
        })
    };
    let yours: Vec<f32> =
        yours.split(',').map(number).collect::<Result<_, _>>()?;
    let request = request(expression)?;
    let outcome = part1::run(&request)?;
    let place = request.inputs.iter().position(|(name, _)| name == of);
    let place = place.ok_or_else(|| {
        Error::Usage(format!("the expression has no input `{of}`"))
    })?;
    let verdict = Verdict::of(&request, &outcome);
    let right = &verdict.inputs[place].slopes.values;
    let yours = Array::new(&[yours.len()], &yours);
    let mismatch = compare(&yours, right, &[]);
    Ok(json!({
        "right": mismatch.is_none(),
        "words": mismatch.map(|mismatch| mismatch.to_string()),
    }))
}
