//! Tests of the checks of the pages.

use super::{
    BOX, CHAPTER, CHOICES, CODE, CSS, DIFF, FIGURE, GLOSSARY, OUTPUT, PLANTED,
    QUESTIONS, ROWS, SETTINGS, SUMMARY, SVG, assert_each_reported, assert_none,
    assert_reported, book,
};
use crate::guards::faults;
use crate::guards::links::redirects;
use crate::tree::Tree;

const INCLUDE: &str = "{{#include ../../src/part1_cpu/ops.rs:mul}}";
/// A sentence of the chapter that no check requires.
const PROSE: &str = "A kernel is a listing too.";
const ANSWER: &str = "Twice `x`: both operands are the same tensor, and their \
                      parts add up.";

/// Returns the book with one edit of the chapter.
fn chapter(old: &str, new: &str) -> Tree {
    book().edit(CHAPTER, old, new)
}

/// Promise: Code, output, figures and formulas that are typed into a page are
/// reported.
#[test]
fn code_typed_into_a_page_is_reported() {
    let more = format!("{INCLUDE}\nlet c = 1;");
    let example = "```sh\ncargo run --example nothing\n```";
    assert_each_reported(
        CHAPTER,
        &[
            (INCLUDE, "let c = &a * &b;", ":25: a `rust,ignore` fence holds"),
            (INCLUDE, &more, "a `rust,ignore` fence holds"),
            ("{{#include ../listings/example.out}}", "9", "a `console` fence"),
            (PROSE, "```\nx\n```", "a `` fence holds something else"),
            (PROSE, "    let c = 1;", "an indented code block is typed code"),
            (PROSE, "```sh\npassed 3\n```", "`passed 3` is not a command"),
            (PROSE, example, "there is no example `nothing`"),
            (PROSE, "<svg></svg>", "`<svg` is typed into the page"),
            (PROSE, "$$a + b$$", "`$$` is typed into the page"),
        ],
    );
}

/// Promise: An include that shows nothing, or the wrong thing, is reported.
#[test]
fn an_include_that_shows_the_wrong_thing_is_reported() {
    let hidden = INCLUDE.replace("include", "rustdoc_include");
    let learner = "{{#include ../../exercises/part1_cpu/m.rs:m}}";
    let bare = "```rust,ignore\n{{#include ../listings/example.rs}}";
    let labeled =
        format!("<p class=\"file\">src/part1_cpu/ops.rs</p>\n\n{bare}");
    assert_each_reported(
        CHAPTER,
        &[
            ("cpu/ops.rs:mul", "cpu/x.rs:mul", "cpu/x.rs` does not exist"),
            ("cpu/ops.rs:mul", "cpu/ops.rs:div", "has no anchor `div`"),
            ("cpu/ops.rs:mul", "cpu/ops.rs:2:4", "has no anchor `2:4`"),
            ("cpu/ops.rs:mul", "cpu/ops.rs", "ops.rs` is included whole"),
            (INCLUDE, &format!("  {INCLUDE}"), "an indented include"),
            (INCLUDE, &hidden, "`rustdoc_include` hides what it does"),
            (INCLUDE, learner, "belongs to the learner"),
            (PROSE, INCLUDE, "is included as prose"),
            ("```rust,ignore", "```rust", "Write ```rust,ignore"),
            (">src/part1_cpu/ops.rs</p>", ">x</p>", "the name above this"),
            ("→ src/part2_gpu/ops.rs", "→ x", "→ src/part2_gpu/ops.rs</p>"),
            (&labeled, bare, "Write <p class=\"file\">src/part1_cpu/ops.rs"),
        ],
    );
    let empty = "// ANCHOR: mul\n// ANCHOR_END: mul\n";
    assert_reported(&book().with(CODE, empty), CHAPTER, "shows nothing here");
    let inside = "// ANCHOR: mul\n    fn mul() {}\n// ANCHOR_END: mul\n";
    let inside = book().with(CODE, inside);
    assert_reported(&inside, CHAPTER, "does not start at the first column");
}

#[test]
fn a_line_wider_than_the_page_is_reported() {
    let wide = |length| "x".repeat(length);
    let table = |command| format!("$ cargo learn {command}\n");
    for (book, words) in [
        (book().edit(CODE, "// here", &wide(77)), "wider than 80 characters"),
        (book().with(DIFF, &wide(82)), "wider than 81 characters"),
        (book().with(OUTPUT, &(table("try") + &wide(81))), "wider than 80"),
        (book().with(OUTPUT, &(table("bench") + &wide(141))), "wider than 140"),
    ] {
        assert_reported(&book, CHAPTER, words);
    }
}

/// Promise: A chapter that is too long is reported.
#[test]
fn a_long_chapter_is_reported() {
    let long = "word ".repeat(2800);
    let words = "words, and the limit is 2800";
    assert_reported(&chapter(PROSE, &long), CHAPTER, words);
    let introduction = "book/src/introduction.md";
    assert_none(&book().edit(introduction, "Hello.", &long));
}

/// Promise: An anchor that no page quotes, or that has no end, is reported.
#[test]
fn an_unused_or_unclosed_anchor_is_reported() {
    let spare = "// ANCHOR: spare\n// ANCHOR_END: spare";
    assert_each_reported(
        CODE,
        &[
            ("//! Operations.", spare, ":1: no page quotes the anchor `spare`"),
            ("// ANCHOR_END: mul\n", "", ":2: the anchor `mul` never closes"),
            ("//! Operations.", "// ANCHOR: mul", ":2: the anchor `mul` opens"),
            (
                "//! Operations.",
                "// ANCHOR_END: sum",
                ":1: the anchor `sum` closes and was not open",
            ),
        ],
    );
}

#[test]
fn a_file_without_a_page_is_reported() {
    for (file, text, words) in [
        ("book/figures/spare.svg", SVG, "no page shows this file"),
        ("book/listings/spare.out", "9\n", "no page shows this file"),
        ("book/listings/spare.out", "9\n", "nothing generates this listing"),
        ("book/src/spare.md", "# Spare\n", "SUMMARY.md does not list"),
        ("book/src/notes.txt", "", "mdBook copies this file"),
        ("book/src/README.md", "# R\n", "links to README.md break"),
        ("book/src/live/x.js", "", "no figure of a page has this name"),
    ] {
        assert_reported(&book().with(file, text), file, words);
    }
}

/// Promise: A figure that mdBook breaks, a theme ignores or a screen reader
/// cannot read is reported.
#[test]
fn an_unreadable_figure_is_reported() {
    let image = "<image href=\"a.png\"/></svg>";
    let wide = "<style>.x:root { color: red } .y { color: red }</style></svg>";
    assert_each_reported(
        FIGURE,
        &[
            ("</title>\n", "</title>\n\n", ":3: an empty line ends the figure"),
            ("</svg>", "", "not well-formed XML"),
            (" role=\"img\"", "", "has no role"),
            ("<title>A product</title>", "", "does not begin with its name"),
            ("A product", " ", "does not begin with its name"),
            ("0 0 680", "0 0 700", "the figure is not 680 wide"),
            ("<svg ", "<svg width=\"900\" ", "a fixed width"),
            ("example-head", "head", ":3: the id `head` may meet another"),
            ("(#example-head", "(#tail", "`tail` is not an id of this figure"),
            ("\"currentColor\"", "\"#1a2b3c\"", "`#1a2b3c` does not follow"),
            ("<path ", "<path style=\"fill: red\" ", "`fill: red` does not"),
            ("</svg>", image, "<image> reaches beyond the figure"),
            ("</svg>", wide, "<style> reaches beyond the figure"),
        ],
    );
    let alone = "<style>@media print { .x:root { color: red } }</style></svg>";
    assert_none(&book().edit(FIGURE, "</svg>", alone));
}

#[test]
fn a_figure_or_a_formula_outside_of_its_block_is_reported() {
    let caption = "<figcaption>What the picture shows, in one sentence.\
                   </figcaption>\n";
    assert_each_reported(
        CHAPTER,
        &[
            ("\n<figure>\n", "<figure>\n", "a figure stands in its own block"),
            ("<figure>\n", "<figure>\n\n", "a figure stands in its own block"),
            (caption, "", "a figure stands in its own block"),
            ("enough.\n\n", "enough.\n", "a formula stands alone"),
        ],
    );
    let again = "Hello.\n\n<figure>\n{{#include ../figures/example.svg}}\n\
                 <figcaption>Again.</figcaption>\n</figure>\n";
    let twice = book().edit("book/src/introduction.md", "Hello.\n", again);
    assert_reported(&twice, FIGURE, "two places show this figure");
}

/// Promise: A live figure without its script is reported.
#[test]
fn a_figure_without_its_script_is_reported() {
    let book = chapter("<figure>", "<figure data-figure=\"touched\">");
    assert_reported(&book, CHAPTER, "the figure `touched` has no script");
    assert_none(&book.with("book/src/live/touched.js", "live.figure();\n"));
}

/// Promise: A color with too little contrast in any theme is reported.
#[test]
fn a_color_with_too_little_contrast_is_reported() {
    assert_each_reported(
        CSS,
        &[
            (
                "--code-comment: #8b98a5",
                "--code-comment: #5c6773",
                "#5c6773 on #191f26 (ayu) has the contrast 2.88",
            ),
            ("--fig-gpu: #155a2e;", "", "the theme rust has no --fig-gpu"),
        ],
    );
}

/// Promise: A broken link or redirect is reported.
#[test]
fn a_broken_link_is_reported() {
    let link = "(glossary.md#bold)";
    assert_each_reported(
        CHAPTER,
        &[
            (link, "(glossar.md)", "the book has no `book/src/glossar.md`"),
            (link, "(../../README.md)", "the book has no `README.md`"),
            (link, "(glossary.md#x)", "has no heading or id `x`"),
            (link, "(#nowhere)", "has no heading or id `nowhere`"),
            (PROSE, "<a href=\"x.md\">x</a>", "the link `x.md` leads nowhere"),
        ],
    );
    let gone = ("template.html", "gone.html", "there is no book/src/gone.md");
    assert_each_reported(SETTINGS, &[gone]);
}

/// Promise: A glossary that is not sorted, or that lacks the usual word beside a
/// word of this project, is reported.
#[test]
fn a_glossary_without_the_usual_words_is_reported() {
    let partner = "Verdict\n: A word. In the field: a word.";
    assert_each_reported(
        GLOSSARY,
        &[
            ("Ledger\n", "Lodger\n", "only this project says `Ledger`"),
            (partner, "Verdict\n: A word.", "this project says `Verdict`"),
            ("Bold\n", "Zebra\n", "`Zebra` is not before `Compact`"),
            ("Bold\n", "Compact\n", "`Compact` is not before `Compact`"),
        ],
    );
}

#[test]
fn fragments_agree_with_mdbook() {
    let at = |fragment: &str| {
        let text = "## Don't — `Rc<T>`, twice\n\n## Run it\n\n[1](#";
        let old = "## The idea, in a heading of your own";
        chapter(old, &format!("{text}{fragment})\n"))
    };
    for known in ["dont--rct-twice", "run-it", "run-it-1"] {
        let faults = faults(&at(known), &PLANTED);
        assert!(faults.iter().all(|f| !f.what.contains("or id")), "{known}");
    }
    assert_reported(
        &at("run-it-2"),
        CHAPTER,
        "has no heading or id `run-it-2`",
    );
}

/// Promise: Every old chapter address has a redirect.
#[test]
fn every_old_chapter_address_has_a_redirect() {
    let old = redirects(&Tree::of_this_repository());
    for number in 1..=27 {
        let start = format!("/ch{number:02}-");
        let leads = old.iter().filter(|(old, _)| old.starts_with(&start));
        assert_eq!(leads.count(), 1, "{start}: {old:?}");
    }
}

/// Promise: A page that loads anything from the network is reported.
#[test]
fn loading_from_the_network_is_reported() {
    let image = "![x](https://example.org/x.png)";
    let script = "<script src=\"//example.org/x.js\"></script>";
    let words = "is loaded from the network";
    assert_each_reported(
        CHAPTER,
        &[(PROSE, image, words), (PROSE, script, words)],
    );
    let import = "@import \"https://example.org/x.css\";\n/* Colors";
    assert_each_reported(
        CSS,
        &[("/* Colors", import, ":1: this names another host")],
    );
    for file in ["book/theme/stepper.js", "book/src/live/figure.js"] {
        let book = book().with(file, "fetch(\"http://example.org\");\n");
        assert_reported(&book, file, ":1: this names another host");
    }
    let mathjax = "[output.html]\nmathjax-support = true";
    assert_each_reported(
        SETTINGS,
        &[
            ("[rust]", "[preprocessor.katex]\n\n[rust]", "by mdBook alone"),
            ("[output.html]", mathjax, "MathJax comes from another host"),
        ],
    );
    let book = book().without("book/theme/fonts/stix-two-math.woff2");
    assert_reported(&book, CSS, "the theme has no `fonts/stix-two-math.woff2`");
}

/// Promise: A page that is missing from the table of contents is reported.
#[test]
fn a_wrong_table_of_contents_is_reported() {
    assert_each_reported(
        SUMMARY,
        &[
            ("[Draft]()", "[Draft](gone.md)", "`book/src/gone.md` does not"),
            ("[Glossary]", "# More\n\n[Glossary]", "mdBook drops a page below"),
            ("[The title,", "[A title,", ":11: `book/src/template.md` calls"),
        ],
    );
}

/// Promise: An empty answer, list item or definition is reported.
#[test]
fn an_empty_block_is_reported() {
    assert_each_reported(
        CHAPTER,
        &[
            (ANSWER, "54.", "a list that begins with 54"),
            (ANSWER, "54.", "this item of a list shows nothing"),
            (ANSWER, "- 1\n-\n", "this item of a list shows nothing"),
            (ANSWER, "", "this answer shows nothing"),
            (ANSWER, "###\n", "this heading shows nothing"),
            (ANSWER, ">\n", "this quotation shows nothing"),
        ],
    );
    for answer in ["*54*", "`54`", "1. 54", "> 54", "- - 54"] {
        assert_none(&chapter(ANSWER, answer));
    }
}

/// Promise: An exercise or a level that its chapter does not show is reported.
#[test]
fn an_exercise_missing_from_its_chapter_is_reported() {
    let include = "{{#include ../listings/exercise_example.md}}";
    let book = chapter(include, "").without(BOX);
    assert_reported(
        &book,
        ROWS,
        "`template.md` does not show `book/listings/exercise",
    );
    let level = "\n[[exercise.level]]\nname = \"first\"\ntask = \"Do it.\"\n\
                 chapter = \"template.md\"\nsize = \"a line\"\n";
    let hints = "hints = [\"a * b, twice\", \"vec![b, a]\", \"a < b\"]\n";
    let level = format!("{hints}{level}");
    assert_each_reported(
        ROWS,
        &[
            ("template.md", "other.md", "`other.md` does not show"),
            (hints, &level, "does not show `book/listings/level_example_1.md"),
        ],
    );
}

/// Promise: A prediction question that comes after its output is reported.
#[test]
fn a_late_or_missing_question_is_reported() {
    let include = "{{#include ../listings/predict_example.md}}\n";
    let not_asked = chapter(include, "");
    assert_reported(
        &not_asked,
        QUESTIONS,
        "does not ask the question `example`",
    );
    let output = "```console\n{{#include ../listings/example.out}}\n```\n";
    let below = format!("{output}\n{include}");
    let late = not_asked.edit(CHAPTER, output, &below);
    assert_reported(&late, QUESTIONS, "below its answer");
}

/// Promise: A chapter without a question with choices is reported.
#[test]
fn a_chapter_that_asks_no_question_is_reported() {
    let include = "{{#include ../listings/questions_template.md}}\n";
    let words = "`template.md` does not ask its questions";
    assert_reported(&chapter(include, ""), CHOICES, words);
    let elsewhere = chapter("## Check yourself", "## Elsewhere");
    assert_reported(&elsewhere, CHOICES, words);
    let rows = ("template.md", "other.md", "`template.md` has no question");
    assert_each_reported(CHOICES, &[rows]);
}
