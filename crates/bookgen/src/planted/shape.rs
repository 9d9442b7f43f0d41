//! Chapters out of shape.

use super::{BOX, CHAPTER, GLOSSARY, ROWS, book, chapter, reported};

#[test]
fn a_chapter_without_its_goal_is_reported() {
    let goal = "**The goal of the chapter, in one sentence.**";
    let book = chapter(goal, "This chapter is about goals.");
    reported(book, CHAPTER, "does not open with its goal");
}

#[test]
fn a_missing_section_is_reported_each_time() {
    for name in crate::guards::chapter::SECTIONS {
        let book = chapter(&format!("## {name}\n"), "## Other\n");
        reported(book, CHAPTER, &format!("no section \"{name}\""));
    }
}

#[test]
fn an_exercise_that_no_row_knows_is_reported() {
    let book = book().with(ROWS, "");
    reported(book, CHAPTER, "no row of exercises/exercises.toml names");
}

#[test]
fn a_chapter_that_no_row_names_needs_no_exercise() {
    let include = "{{#include ../listings/exercise_example.md}}\n\n";
    let book = chapter(include, "")
        .edit(CHAPTER, "## Exercise\n", "## More\n")
        .with(ROWS, "")
        .without(BOX);
    super::assert_none(&book);
}

#[test]
fn sections_out_of_order_are_reported() {
    let book = chapter("## Run it", "## Where next\n\n## Run it");
    reported(book, CHAPTER, "\"Where next\" stands too early");
}

#[test]
fn a_section_without_its_substance_is_reported() {
    for (old, new, words) in [
        ("```console", "```text", "\"Run it\" does not hold"),
        ("<details>", "<div>", "\"Check yourself\" does not hold"),
        ("```diff", "```text", "\"What changed\" does not hold"),
    ] {
        reported(chapter(old, new), CHAPTER, words);
    }
}

#[test]
fn a_chapter_without_a_figure_is_reported() {
    let book = chapter("\n<figure>\n", "\n<div>\n");
    reported(book, CHAPTER, "has no figure before \"Run it\"");
}

#[test]
fn a_bold_word_outside_the_glossary_is_reported() {
    let book = chapter("**bold**", "**tensor**");
    reported(book, CHAPTER, "\"tensor\" is bold and not in");
}

/// Promise: A term that is defined twice is reported.
#[test]
fn a_term_defined_twice_is_reported() {
    let book = chapter("A kernel is a listing too.", "Again **bold** words.");
    reported(book, CHAPTER, "\"bold\" was bold already");
}

/// Promise: A glossary entry without a definition is reported.
#[test]
fn a_term_that_leads_to_no_definition_is_reported() {
    let link = "  [The title](template.md)\n";
    let book = book().edit(GLOSSARY, link, "");
    reported(book, GLOSSARY, "\"Bold\" leads nowhere");
    let book = chapter("**bold**", "bold");
    reported(book, GLOSSARY, "\"Bold\" is neither bold nor in italics");
}

#[test]
fn a_word_of_the_field_in_italics_is_a_definition() {
    let book = chapter("**bold**", "*bold*");
    super::assert_none(&book);
}

/// Promise: An empty answer, list item or definition is reported.
#[test]
fn what_shows_nothing_is_reported() {
    let answer = "Twice `x`: both operands are the same tensor, and their \
                  parts add up.";
    let book = chapter(answer, "54.");
    reported(book, CHAPTER, "a list that begins with 54");
    reported(chapter(answer, "54."), CHAPTER, "this item of a list shows");
    reported(chapter(answer, "- 1\n-\n"), CHAPTER, "this item of a list");
    reported(chapter(answer, ""), CHAPTER, "this answer shows nothing");
    reported(chapter(answer, "###\n"), CHAPTER, "this heading shows nothing");
    reported(chapter(answer, ">\n"), CHAPTER, "this quotation shows nothing");
}

#[test]
fn an_answer_of_any_kind_is_an_answer() {
    for answer in ["*54*", "`54`", "1. 54", "> 54", "- - 54"] {
        let book = chapter("Twice `x`: both operands", answer);
        super::assert_none(&book);
    }
}

#[test]
fn two_sentences_on_a_line_are_reported() {
    let book = chapter("listing too.", "listing too. So is a program.");
    reported(book, CHAPTER, "two sentences stand on one line");
}
