//! The expression figure: the output of `cargo learn try`, for a page.

use std::path::PathBuf;

use rungrad::shape::list;
use rungrad::{Error, draw};
use serde_json::{Value, json};

use crate::numbers;
use tools::expression::request::Request;
use tools::expression::request::{check_names, read};
use tools::expression::verdict::{Culprit, Finding, Verdict, line, nudged};
use tools::expression::{expr, part1};

/// Answers `EXPR NAME=VALUES ..`: the picture of the tape, with `name` in its
/// ids, which a page can play step by step, and each gradient with its finite
/// difference.
pub(crate) fn answer(name: &str, words: &[&str]) -> Result<Value, Error> {
    let request = request(words)?;
    let outcome = part1::run(&request)?;
    let verdict = Verdict::of(&request, &outcome);
    let inputs = request.inputs.iter().zip(&outcome.grads);
    let inputs = inputs.zip(&verdict.inputs).map(|((input, grad), judged)| {
        let (name, values) = input;
        let (word, note) = match &judged.finding {
            Finding::Agree => ("agree", None),
            Finding::Differ(mismatch) => ("DIFFER", Some(mismatch.to_string())),
            Finding::CannotJudge(why) => ("?", Some(why.clone())),
        };
        json!({
            "name": name,
            "values": numbers(values),
            "grad": numbers(grad),
            "engine": list(grad),
            "nudged": nudged(judged),
            "word": word,
            "note": note,
        })
    });
    let culprit = match &verdict.culprit {
        None => Value::Null,
        Some(Culprit::Tape(blame)) => json!(line(&outcome.tape, blame.at())),
        Some(Culprit::DifferentFunction) => json!("the expression"),
    };
    let value = outcome.tape.records.last().and_then(|it| it.values.clone());
    let value = value.unwrap_or_default();
    let title = format!("The tape of {}", request.text);
    Ok(json!({
        "inputs": inputs.collect::<Value>(),
        "value": numbers(&value),
        "result": list(&value),
        "elements": outcome.elements,
        "summed": outcome.summed,
        "culprit": culprit,
        "svg": draw::svg(&outcome.tape, name, &title, None),
    }))
}

/// Parses `EXPR NAME=VALUES ..`.
pub(crate) fn request(words: &[&str]) -> Result<Request, Error> {
    let (text, inputs) = words.split_first().unwrap_or((&"", &[]));
    check_typed(text, |number| {
        format!(
            "a figure takes names instead of numbers: write k instead of \
             {number}, and a slider for k appears"
        )
    })?;
    let expr = expr::parse(text)?;
    let named = |word: &&str| match word.contains('=') {
        true => read(word),
        false => Err(Error::Usage(format!(
            "`{word}` is no input; write for example a=2,3"
        ))),
    };
    let request = Request {
        text: text.to_string(),
        expr,
        inputs: inputs.iter().map(named).collect::<Result<_, _>>()?,
        engine: "part1".to_string(),
        device: None,
        svg: PathBuf::new(),
    };
    check_names(&request)?;
    Ok(request)
}

/// Rejects what readers often type and the parser does not know, with advice
/// that a page can follow. The parser's own is about the terminal.
pub(crate) fn check_typed(
    text: &str,
    about_number: impl Fn(&str) -> String,
) -> Result<(), Error> {
    if text.contains('^') {
        return Err(Error::Usage(
            "write a power as a product, such as a*a".to_string(),
        ));
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut words = text.split(|c| !is_part(c));
    if let Some(number) =
        words.find(|it| it.starts_with(|c: char| c.is_numeric()))
    {
        return Err(Error::Usage(about_number(number)));
    }
    Ok(())
}
