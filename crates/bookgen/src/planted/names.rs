//! Chapters that are called by their number, and old addresses.

use super::{CHAPTER, CODE, PREDICTION, QUESTIONS, SETTINGS, SUMMARY};
use super::{assert_none, book, chapter, reported};
use crate::guards::live::ENGINE;
use crate::guards::names::redirects;
use crate::tree::Tree;

const TOO: &str = "A kernel is a listing too.";

/// Promise: A new chapter needs only one more line in the table of contents.
#[test]
fn a_chapter_more_is_a_line_of_the_contents() {
    let line = "- [The title, as in SUMMARY.md](template.md)\n";
    let more = format!("- [One more](more.md)\n{line}");
    let mut text = book().get(CHAPTER).unwrap().to_string();
    for (old, new) in [
        ("# The title, as in SUMMARY.md\n", "# One more\n"),
        // What stands once in a book stands in the other chapter.
        ("{{#include ../figures/example.svg}}\n", ""),
        ("**bold**", "bold"),
        ("## Exercise\n", "## More\n"),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    let book = book().edit(SUMMARY, line, &more);
    // Each chapter has a question of its own.
    let asked = PREDICTION.replace("template.md", "more.md");
    let book = book.with(QUESTIONS, &format!("{PREDICTION}{asked}"));
    assert_none(&book.with("book/src/more.md", &text));
}

#[test]
fn a_page_named_by_a_number_is_reported() {
    for name in [format!("ch{:02}-x.md", 4), "04-x.md".into()] {
        let page = format!("book/src/{name}");
        let book = book().with(&page, "# A title\n");
        reported(book, &page, "begins with a number");
    }
}

/// Promise: A chapter that is cited by its number is reported.
#[test]
fn a_chapter_called_by_its_number_is_reported() {
    let told = "by its number here, 4.";
    reported(chapter(TOO, &format!("See chapter {}.", 4)), CHAPTER, told);
    reported(chapter(TOO, &format!("Chapters {}, 7, 9.", 4)), CHAPTER, told);
    let named = format!("[back](ch{}-back.md)", 4);
    reported(chapter(TOO, &named), CHAPTER, told);
    let broken = format!("//! Built in\n//! chapters\n//! {} and 9.", 4);
    let code = book().edit(CODE, "//! Operations.", &broken);
    reported(code, "src/part1_cpu/ops.rs:2: ", told);
    let note = format!("# As chapter {} says.\n", 4);
    reported(book().with("Cargo.toml", &note), "Cargo.toml:1: ", told);
}

#[test]
fn what_only_looks_like_a_number_of_a_chapter_is_none() {
    let text = "A chapter. Two of them, batch8-wide, in one chapter or so.";
    assert_none(&book().edit(CODE, "//! Operations.", &format!("// {text}")));
    let packed = format!("digits: \"ab:ch{}-x\"", 4);
    assert_none(&book().with(ENGINE, &packed));
}

/// Promise: A chapter that is cited by its position is reported.
#[test]
fn a_chapter_called_by_its_place_is_reported() {
    let book = chapter(TOO, "The next chapter says more.");
    reported(book, CHAPTER, "what stands before or after");
}

#[test]
fn an_old_address_that_leads_nowhere_is_reported() {
    let book = book().edit(SETTINGS, "template.html", "gone.html");
    reported(book, SETTINGS, "there is no book/src/gone.md");
}

/// Promise: Every old chapter address has a redirect.
#[test]
fn every_chapter_that_had_a_number_has_its_old_address() {
    let old = redirects(&Tree::of_this_repository());
    for number in 1..=27 {
        let start = format!("/ch{number:02}-");
        let leads = old.keys().filter(|old| old.starts_with(&start)).count();
        assert_eq!(leads, 1, "{start}: {old:?}");
    }
}
