//! `cargo learn tutor`: tells an AI assistant about an exercise. The output
//! never contains a line of our solution.

use std::collections::BTreeSet;

use jzon::{JsonValue, object};

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::status::Status;
use crate::exercises::stub::SolutionFile;
use crate::exercises::{check, hint, levels};
use crate::progress::Progress;
use crate::terminal::{self, say};

pub(crate) const COMMAND: Command = Command {
    name: "tutor",
    usage: "EXERCISE [--json]",
    summary: "what an AI assistant needs to help, without the solution",
    page: "\
Checks the exercise and prints JSON for an AI assistant: the task, what was
checked, the first failure, the whole verdict, and the next hint that you have
not seen. The output contains no line of our solution. The hint still counts as
not seen until you run `cargo learn hint`. JSON is the only format, so --json
may be left out.",
    run,
};

/// The instructions for the assistant.
const POLICY: &str = "Explain the first failure and the next hint in your own \
                      words, and ask a question that leads to the next step. \
                      Do not write the code of the exercise, and do not read \
                      exercises/solutions/. To reveal a further hint, the \
                      learner runs `cargo learn hint`.";

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    args.flag("--json");
    let (ids, _) = args.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::required(&exercises, &ids)?;
    terminal::be_quiet();
    let place = checkout.shown(&checkout.exercises.join(&exercise.file));
    let alone = checkout.lock(&format!("check-{}", exercise.id));
    let heard =
        check::verdict(checkout, &checkout.exercises, exercise, &place, None)?;
    drop(alone);
    let hidden = Hidden::of(&SolutionFile::read(checkout, exercise)?);
    let progress = Progress::load(checkout);
    let seen = hint::shown_count(exercise, &progress);
    let (_, hints) = levels::hints(exercise, None, &progress);
    let told =
        answer(exercise, heard.verdict, &heard.said, hints, seen, &hidden);
    say!("{}", told.pretty(2));
    Ok(())
}

/// Returns what the assistant is told.
fn answer(
    exercise: &Exercise,
    status: Status,
    said: &str,
    hints: &[String],
    seen: usize,
    hidden: &Hidden,
) -> JsonValue {
    let lines: Vec<String> =
        said.lines().map(|line| hidden.without(line)).collect();
    let checked = lines.iter().filter(|it| it.starts_with("  ok "));
    let checked: Vec<&str> = checked.map(|line| line.trim()).collect();
    let failure = lines.iter().skip_while(|line| {
        !["failing:", "to do:"].iter().any(|word| line.starts_with(word))
    });
    // The sentence and its explanation, which may follow a blank line.
    let paragraphs = failure.map(String::as_str).collect::<Vec<_>>().join("\n");
    let mut paragraphs = paragraphs.split("\n\n");
    let first: Vec<&str> = paragraphs.by_ref().take(2).collect();
    let next = hints.get(seen).filter(|_| !status.is_solved());
    let next = next.map(|hint| {
        object! {
            number: seen + 1,
            of: hints.len(),
            text: hidden.without(hint),
        }
    });
    object! {
        exercise: &*exercise.id,
        title: &*exercise.title,
        task: hidden.without(&exercise.task),
        page: format!("book/src/{}", exercise.chapter),
        status: status.shown(),
        checked: checked,
        first_failure: first.join("\n\n").trim(),
        verdict: lines.join("\n").trim(),
        next_hint: next,
        policy: POLICY,
    }
}

/// The lines of a solution that its stub does not have, without spaces.
pub(crate) struct Hidden(BTreeSet<String>);

/// Shorter lines reveal nothing: `}`, `else {`, `0.0`. Neither does a line with
/// a single word.
const MIN_LETTERS: usize = 6;

impl Hidden {
    pub(crate) fn of(solution: &SolutionFile) -> Hidden {
        let stub: BTreeSet<String> =
            solution.stub.lines().map(without_spaces).collect();
        let lines = solution.plain.lines().map(without_spaces);
        let lines = lines.filter(|line| {
            let is_word = |it: char| it.is_alphanumeric() || it == '_';
            let is_code = !line.starts_with("//")
                && !line.trim_end_matches(';').chars().all(is_word);
            is_code && line.len() >= MIN_LETTERS && !stub.contains(line)
        });
        Hidden(lines.collect())
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        let text = without_spaces(text);
        self.0.iter().any(|line| text.contains(line.as_str()))
    }

    /// Returns the text, or a note in its place if it contains a line of the
    /// solution. That line may be the learner's own, for example in an error of
    /// the compiler.
    fn without(&self, text: &str) -> String {
        match self.is_in(text) {
            false => text.to_string(),
            true => "(left out: a line of the solution)".to_string(),
        }
    }
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::exercises::answers::wrong_answers;

    /// Uses the worst possible verdict, which quotes a known wrong answer and
    /// the solution itself, line by line.
    ///
    /// Promise: The output of `cargo learn tutor` has no line of a solution,
    /// for every exercise and every hint.
    #[test]
    fn an_assistant_is_told_no_line_of_a_solution() {
        let checkout = Checkout::of_this_repository();
        let (mut lines, mut nothing_to_hide) = (0, Vec::new());
        for exercise in course::exercises(&checkout).unwrap() {
            let solution = SolutionFile::read(&checkout, &exercise).unwrap();
            let hidden = Hidden::of(&solution);
            let wrong = format!("exercises/wrong/{}.diff", exercise.id);
            let wrong = fs::read_to_string(checkout.root.join(wrong));
            let plain = &solution.plain;
            let wrong =
                wrong_answers(&wrong.unwrap_or_default(), plain).unwrap();
            let wrong = wrong.first().map_or("", |it| it.text.as_str());
            let said = format!("failing: no\n{wrong}\n{plain}");
            let levels = exercise.levels.iter().map(|it| &it.hints);
            for hints in levels.chain([&exercise.hints]) {
                for seen in 0..=hints.len() {
                    let told = answer(
                        &exercise,
                        Status::Failing,
                        &said,
                        hints,
                        seen,
                        &hidden,
                    );
                    let told: serde_json::Value =
                        serde_json::from_str(&told.to_string()).unwrap();
                    let told = texts(&told);
                    for text in &told {
                        let text = without_spaces(text);
                        for line in &hidden.0 {
                            assert!(
                                !text.contains(line.as_str()),
                                "{}: {line}",
                                exercise.id
                            );
                        }
                    }
                }
            }
            lines += hidden.0.len();
            if hidden.0.is_empty() && !exercise.free {
                nothing_to_hide.push(exercise.id);
            }
        }
        assert!(lines > 1000, "only {lines} lines are hidden");
        // Its solution moves a line that the stub already has.
        assert_eq!(nothing_to_hide, ["missing_barrier"]);
    }

    fn texts(value: &serde_json::Value) -> Vec<String> {
        match value {
            serde_json::Value::String(text) => vec![text.clone()],
            serde_json::Value::Array(all) => {
                all.iter().flat_map(texts).collect()
            }
            serde_json::Value::Object(all) => {
                all.values().flat_map(texts).collect()
            }
            _ => vec![],
        }
    }

    #[test]
    fn a_hint_that_quotes_the_solution_is_left_out() {
        let text = "// HOLE\n//| todo!()\nlet c = a.mul(b);\n// END HOLE\n";
        let hidden = Hidden::of(&SolutionFile::parse(text).unwrap());
        let left_out = "(left out: a line of the solution)";
        assert_eq!(hidden.without("Write `let c =  a.mul(b);`."), left_out);
        assert_eq!(hidden.without("Call mul on a."), "Call mul on a.");
    }
}
