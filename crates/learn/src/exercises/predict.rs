//! `cargo learn predict`: guess a number before a program shows it.

use std::fs;
use std::io::{self, BufRead};

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::Contents;
use crate::nearest::suggestion;
use crate::predictions::{self, Found, Prediction, parse_number};
use crate::progress::Progress;
use crate::terminal::{can_ask, say, wrapped, write_out};

pub(crate) const COMMAND: Command = Command {
    name: "predict",
    usage: "[NAME] [NUMBER] [--list]",
    summary: "guess a number before a program shows it",
    page: "\
Asks for a number that a program of the book prints. Without a name it asks the
next question that you have not answered. Then it shows the line, explains it,
and names the program. A common wrong guess gets its own explanation. The same
questions are in the chapters, folded, before the outputs.

Your guess may follow the name. --list shows all questions and your guesses.",
    run,
};

const TABLE: &str = "exercises/predictions.toml";
const KIND: &str = "predict";
pub(crate) const NOT_A_NUMBER: &str =
    "That is not a number. Examples: 12, -3, 0.25, 1e-5";

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    // A number may be negative, so it is removed before the flags.
    let numbers = args.take(|word| parse_number(word).is_some());
    let wants_list = args.flag("--list");
    let (ids, _) = args.rest(1)?;
    if numbers.len() > 1 {
        return Err(Stop::Usage(
            "give only one number: cargo learn predict NAME NUMBER".to_string(),
        ));
    }
    let predictions = table(checkout)?;
    if wants_list {
        return list(checkout, &predictions);
    }
    let prediction = match ids.first() {
        Some(id) => named(&predictions, id)?,
        None => match next(checkout, &predictions) {
            Some(prediction) => prediction,
            None => {
                say!("You have answered every question.");
                say!("cargo learn predict --list shows your guesses.");
                return Ok(());
            }
        },
    };
    let given = numbers.first().and_then(|word| parse_number(word));
    ask(checkout, prediction, || match given {
        Some(answer) => Ok(answer),
        None => typed(&prediction.id),
    })?;
    if let Some(next) = next(checkout, &predictions) {
        say!("Next question: cargo learn predict {}", next.id);
    }
    Ok(())
}

/// Returns the first question of a chapter that has no answer yet.
pub(crate) fn open_question(
    checkout: &Checkout,
    page: &str,
) -> Option<Prediction> {
    let progress = Progress::load(checkout);
    let is_open = |it: &Prediction| {
        it.chapter == page && progress.get(KIND, &it.id).is_none()
    };
    table(checkout).ok()?.into_iter().find(is_open)
}

/// Reads the questions.
fn table(checkout: &Checkout) -> Result<Vec<Prediction>, Stop> {
    let unreadable = |why: String| {
        Stop::Failed(format!(
            "cannot read {TABLE}: {why}; `git checkout {TABLE}` restores it"
        ))
    };
    let text = fs::read_to_string(checkout.root.join(TABLE))
        .map_err(|error| unreadable(error.to_string()))?;
    predictions::read(&text).map_err(unreadable)
}

fn named<'a>(
    predictions: &'a [Prediction],
    id: &str,
) -> Result<&'a Prediction, Stop> {
    if let Some(found) = predictions.iter().find(|it| it.id == id) {
        return Ok(found);
    }
    let ids: Vec<&str> = predictions.iter().map(|it| it.id.as_str()).collect();
    Err(Stop::Usage(format!(
        "there is no question {id:?}{}; `cargo learn predict --list` shows all \
         questions",
        suggestion(id, &ids)
    )))
}

/// Returns the first question that has no answer yet.
fn next<'a>(
    checkout: &Checkout,
    predictions: &'a [Prediction],
) -> Option<&'a Prediction> {
    let progress = Progress::load(checkout);
    predictions.iter().find(|it| progress.get(KIND, &it.id).is_none())
}

fn list(checkout: &Checkout, predictions: &[Prediction]) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    let contents = Contents::read(checkout);
    let width = predictions.iter().map(|it| it.id.len()).max().unwrap_or(0);
    say!("{:<6}  {:<width$}  chapter", "you", "question");
    for Prediction { id, chapter, .. } in predictions {
        let said = match progress.get(KIND, id) {
            Some("right") => "right",
            Some(_) => "other",
            None => "-",
        };
        let number = contents.number(chapter).unwrap_or_default();
        say!("{said:<6}  {id:<width$}  {number}");
    }
    say!();
    let right = predictions
        .iter()
        .filter(|it| progress.get(KIND, &it.id) == Some("right"));
    say!("{} of {} were right", right.count(), predictions.len());
    Ok(())
}

/// Asks the question and compares the guess with the program's output. `answer`
/// reads the guess after the question has been printed.
pub(crate) fn ask(
    checkout: &Checkout,
    prediction: &Prediction,
    answer: impl FnOnce() -> Result<f64, Stop>,
) -> Result<(), Stop> {
    let Prediction { id, chapter, listing, .. } = prediction;
    let file = checkout.root.join("book/listings").join(listing);
    let output = fs::read_to_string(&file).map_err(|error| {
        Stop::Failed(format!("cannot read {}: {error}", checkout.shown(&file)))
    })?;
    let found = prediction.answer(&output).map_err(Stop::Failed)?;
    let number = Contents::read(checkout).number(chapter);
    let number = number.map_or(String::new(), |it| format!(", chapter {it}"));
    say!("{id}{number}");
    say!();
    for line in wrapped(&prediction.question) {
        say!("{line}");
    }
    say!();
    let answer = answer()?;
    let is_close = prediction.is_close(answer, found.is);
    Progress::update_or_warn(checkout, |progress| {
        progress.set(KIND, id, if is_close { "right" } else { "other" });
    });
    tell(prediction, answer, is_close, &found);
    say!();
    say!("See for yourself: {}", predictions::split(&output).0);
    Ok(())
}

fn tell(
    prediction: &Prediction,
    answer: f64,
    is_close: bool,
    found: &Found<'_>,
) {
    match is_close {
        true => say!("Right: {}.", found.shown),
        false => {
            say!("You said {answer}; the program prints {}.", found.shown);
            for line in prediction.reason(answer).into_iter().flat_map(wrapped)
            {
                say!("{line}");
            }
        }
    }
    say!();
    say!("    {}", found.line.trim());
    say!();
    for line in wrapped(&prediction.why) {
        say!("{line}");
    }
}

/// Reads a number from the keyboard.
fn typed(id: &str) -> Result<f64, Stop> {
    let mut lines = io::stdin().lock().lines();
    loop {
        if can_ask() {
            write_out("Your number: ");
        }
        let line = lines.next().and_then(Result::ok).ok_or_else(|| {
            Stop::Usage(format!(
                "no number was given: type one, or use `cargo learn predict \
                 {id} NUMBER`"
            ))
        })?;
        match parse_number(&line) {
            Some(number) => return Ok(number),
            None => say!("{NOT_A_NUMBER}"),
        }
    }
}
