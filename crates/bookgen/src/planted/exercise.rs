//! Exercises that their chapter forgets, or whose box says something else.

use super::{BOX, CHAPTER, PLANTED, ROWS, book, chapter, reported};
use crate::tree::Tree;

/// The box that the rows ask for.
fn page(book: &Tree) -> Result<String, String> {
    let all = PLANTED.computed(book).into_iter();
    let mut all = all.filter(|(file, _)| [BOX, ROWS].contains(&file.as_str()));
    all.next().expect("a box or its fault").1
}

#[test]
fn the_box_says_what_the_row_says() {
    let page = page(&book()).unwrap();
    let expected = "\
<div class=\"exercise\">

### A product

Give `a * b` its rule.

You edit `exercises/part1_cpu/example.rs`: one line.
Difficulty 1 of 4, about 10 minutes.
It runs on an OpenCL device, which may be your processor.

```sh
cargo learn check example
```

<details>
<summary>A nudge</summary>

a \\* b, twice

</details>

<details>
<summary>A hint</summary>

vec\\!\\[b, a\\]

</details>

<details>
<summary>Nearly the answer</summary>

a \\< b

</details>

`cargo learn solution example` shows ours once yours passes.

</div>
";
    pretty_assertions::assert_eq!(page, expected);
}

#[test]
fn an_exercise_that_its_chapter_does_not_show_is_reported() {
    let include = "{{#include ../listings/exercise_example.md}}";
    let book = chapter(include, "```sh\ncargo learn check example\n```");
    reported(book, ROWS, "does not show the exercise `example`");
    let elsewhere = book_with("template.md", "other.md");
    reported(elsewhere, ROWS, "`other.md` does not show");
}

fn book_with(old: &str, new: &str) -> Tree {
    book().edit(ROWS, old, new)
}

/// Promise: A level that its chapter does not show is reported.
#[test]
fn a_level_that_its_chapter_does_not_show_is_reported() {
    let hints = "hints = [\"a * b, twice\", \"vec![b, a]\", \"a < b\"]\n";
    let level = "\n[[exercise.level]]\nname = \"the first\"\n\
                 chapter = \"template.md\"\ntask = \"Do it.\"\n\
                 size = \"a line\"\n";
    let book = book_with(hints, &format!("{hints}{level}"));
    let words = "`template.md` does not show level 1 of `example`";
    reported(book, ROWS, words);
}

#[test]
fn a_row_that_lacks_something_is_reported() {
    let fault = page(&book_with("title = ", "name = ")).unwrap_err();
    assert!(fault.contains("`example` has no title"), "{fault}");
    let fault = page(&book_with("[[exercise]]", "[[exercise]")).unwrap_err();
    assert!(!fault.is_empty());
}

#[test]
fn an_exercise_without_its_command_is_reported() {
    let book = book().edit(BOX, "cargo learn check", "cargo learn list");
    reported(book, CHAPTER, "\"Exercise\" does not hold");
}
