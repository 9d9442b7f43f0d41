//! Questions that come too late or not at all, or whose answer is gone.

use super::{
    ASKED, CHAPTER, PLANTED, QUESTION, QUESTIONS, assert_none, book, chapter,
    reported,
};
use crate::tree::Tree;

const INCLUDE: &str = "{{#include ../listings/predict_example.md}}\n";

/// The block that the rows ask for, or its fault.
fn block(book: &Tree) -> Result<String, String> {
    let all = PLANTED.computed(book).into_iter();
    let mut all =
        all.filter(|(file, _)| [QUESTION, QUESTIONS].contains(&file.as_str()));
    all.next().expect("a block or its fault").1
}

/// Promise: A prediction takes its answer from the program's output.
#[test]
fn the_block_says_what_the_row_says_and_what_the_program_prints() {
    pretty_assertions::assert_eq!(block(&book()).unwrap(), ASKED);
    let other = book().edit("book/listings/example.out", "\n9\n", "\n10\n");
    assert!(block(&other).unwrap().contains("**10.**"));
}

#[test]
fn a_question_without_an_answer_is_reported() {
    let row = |old, new| block(&book().edit(QUESTIONS, old, new));
    let fault = row("number = 1", "number = 2").unwrap_err();
    assert!(fault.contains("no number 2"), "{fault}");
    let fault = row("example.out", "gone.out").unwrap_err();
    assert!(fault.contains("`book/listings/gone.out` does not exist"));
    assert!(row("why = ", "whys = ").is_err());
}

#[test]
fn a_wrong_answer_that_is_right_is_reported() {
    let fault = block(&book().edit(QUESTIONS, "\"6\"", "\"9\"")).unwrap_err();
    assert!(fault.contains("calls 9 wrong, and it is right"), "{fault}");
}

/// Promise: A prediction question that comes after its output is reported.
#[test]
fn a_question_that_comes_too_late_or_not_at_all_is_reported() {
    let not_asked = chapter(INCLUDE, "");
    reported(not_asked, QUESTIONS, "does not ask the question `example`");
    let output = "```console\n{{#include ../listings/example.out}}\n```\n";
    let late = chapter(INCLUDE, "").edit(
        CHAPTER,
        output,
        &format!("{output}\n{INCLUDE}"),
    );
    reported(late, QUESTIONS, "below its answer");
}

/// Promise: A chapter without a prediction question is reported.
#[test]
fn a_chapter_that_asks_nothing_is_reported() {
    let elsewhere = book().edit(QUESTIONS, "template.md", "other.md");
    reported(elsewhere, CHAPTER, "asks nothing before it answers");
    // A book without the table asks nowhere, and that is no fault.
    let none = chapter(INCLUDE, "").without(QUESTIONS).without(QUESTION);
    assert_none(&none);
}
