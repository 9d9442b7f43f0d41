//! Tests the checks: a small book without errors, one edit, and the message
//! that must report it. The chapter of that book is the template that authors
//! copy, so the template is checked, too.

mod generated;
mod pages;

use std::sync::LazyLock;

use crate::guards::faults;
use crate::manifest::Manifest;
use crate::tree::Tree;

const CHAPTER: &str = "book/src/template.md";
const SETTINGS: &str = "book/book.toml";
const SUMMARY: &str = "book/src/SUMMARY.md";
const FIGURE: &str = "book/figures/example.svg";
const CODE: &str = "src/part1_cpu/ops.rs";
const INNER: &str = "book/listings/example.rs";
const DIFF: &str = "book/listings/example.diff";
const OUTPUT: &str = "book/listings/example.out";
const MEASURED: &str = "book/listings/example_measured.out";
const ROWS: &str = "exercises/exercises.toml";
const QUESTIONS: &str = "exercises/predictions.toml";
const QUESTION: &str = "book/listings/predict_example.md";
const CHOICES: &str = "book/questions.toml";
const CHOICE: &str = "book/listings/questions_template.md";
const BOX: &str = "book/listings/exercise_example.md";
const CSS: &str = "book/theme/book.css";

/// The manifest of the small book.
static PLANTED: LazyLock<Manifest> =
    LazyLock::new(|| Manifest::read(PLANTED_TABLES, &[]));

const PLANTED_TABLES: &str = r#"
[outputs.nothing]
example = "cargo run --example example"

[[measured]]
machine = "Xeon-2"
listings.example_measured = [
    "cargo run --release --example example -- fast",
    "cargo run --release --example example -- slow",
]

[excerpts]
"example.rs" = "src/part1_cpu/ops.rs:sum"
"example.diff" = ["src/part1_cpu/ops.rs:mul", "src/part2_gpu/ops.rs:mul"]

[growths]
example-grown = "src/part3_unified/ops.rs"

[rest]
template = ["src/part2_gpu/ops.rs"]
"#;

/// An old address with a redirect to the chapter.
const OLD: &str = "[output.html.redirect]\n\"/old.html\" = \"template.html\"\n";

/// A draft in the first part, and the chapter in the second.
fn book() -> Tree {
    let settings = include_str!("../../../book/book.toml");
    let (settings, _) = settings.split_once("# Old addresses").unwrap();
    let summary = "# Summary\n\n[Introduction](introduction.md)\n\n\
                   # One\n\n- [Draft]()\n\n\
                   # Two\n\n- [The title, as in SUMMARY.md](template.md)\n\n\
                   [Glossary](glossary.md)\n[Machines](machines.md)\n";
    let mul = "//! Operations.\n// ANCHOR: mul\n\
               /// The product.\npub fn mul() {\n    // here\n}\n\
               // ANCHOR_END: mul\n";
    let sum = "fn sum() {\n    // ANCHOR: sum\n    if true {\n        \
               // there\n    }\n    // ANCHOR_END: sum\n}\n";
    let book = Tree::default()
        .with(SETTINGS, &format!("{settings}{OLD}"))
        .with(CSS, include_str!("../../../book/theme/book.css"))
        .with("book/theme/fonts/stix-two-math.woff2", "")
        .with(SUMMARY, summary)
        .with(CHAPTER, include_str!("../../../book/CHAPTER.md"))
        .with("book/src/introduction.md", "# Introduction\n\nHello.\n")
        .with("book/src/glossary.md", "# Glossary\n\nBold\n: A word.\n")
        .with("book/src/machines.md", "# Machines\n\nA card.\n")
        .with("book/math/example.tex", "a + b\n")
        .with("book/listings/example.mml", "<div class=\"math\">..</div>\n")
        .with(OUTPUT, "$ cargo run --example example\n9\n")
        .with(
            MEASURED,
            "$ cargo run --release --example example -- fast\n9 ms\n",
        )
        .with(QUESTIONS, PREDICTION)
        .with(QUESTION, ASKED)
        .with(CHOICES, CHOSEN)
        .with(CHOICE, CHOSEN_TEXT)
        .with(INNER, "if true {\n    // there\n}\n")
        .with(DIFF, " a\n-b\n+c\n")
        .with(FIGURE, SVG)
        .with(ROWS, EXERCISE)
        .with(BOX, "\n```sh\ncargo learn check example\n```\n")
        .with("examples/example.rs", "fn main() {}\n")
        .with("kernels/part2/mul.cl", mul)
        .with(CODE, &format!("{mul}{sum}"))
        .with("src/part2_gpu/ops.rs", mul);
    let rest = crate::generated::rest::blocks(&book, &PLANTED);
    rest.into_iter().fold(book, |book, (file, text)| {
        book.with(&file, &text.expect("the rest of a file"))
    })
}

const EXERCISE: &str = r#"[[exercise]]
id = "example"
title = "A product"
chapter = "template.md"
file = "part1_cpu/example.rs"
needs = ["opencl"]
size = "one line"
difficulty = 1
minutes = 10
task = "Give `a * b` its rule."
hints = ["a * b, twice", "vec![b, a]", "a < b"]
"#;

const PREDICTION: &str = r#"[[prediction]]
id = "example"
chapter = "template.md"
listing = "example.out"
line = ""
number = 1
question = "Is `3 * 3` < 10?"
why = "Three times *three*."
wrong = [{ guess = "6", because = "That is a sum." }]
"#;

const ASKED: &str = r#"<details class="predict">
<summary>Before you look: Is <code>3 * 3</code> &lt; 10?</summary>

**9.** Three times \*three\*.

If you said 6: That is a sum.

`cargo learn predict example` asks you in the terminal.

</details>
"#;

const CHOSEN: &str = r#"[[question]]
chapter = "template.md"
question = "Is `3 * 3` < 10?"
choices = [
    { text = "no", reason = "Three times *three* is 9." },
    { text = "yes, `9`", right = true, reason = "9 < 10." },
    { text = "It depends.", reason = "Both are fixed." },
]
"#;

const CHOSEN_TEXT: &str = r#"<div class="question" role="group" aria-labelledby="question-template-1">
<p id="question-template-1">Is <code>3 * 3</code> &lt; 10?</p>
<details>
<summary>no</summary>

**Wrong.** Three times \*three\* is 9.

</details>
<details class="correct">
<summary>yes, <code>9</code></summary>

**Right.** 9 \< 10.

</details>
<details>
<summary>It depends.</summary>

**Wrong.** Both are fixed.

</details>
</div>
"#;

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 90" role="img">
<title>A product</title>
<marker id="example-head"/>
<path d="M0 0H9" stroke="currentColor" marker-end="url(#example-head)"/>
</svg>
"#;

/// Asserts that an error is reported in a file. `words` may begin with `:LINE:
/// `.
#[track_caller]
fn assert_reported(book: &Tree, file: &str, words: &str) {
    let faults: Vec<String> =
        faults(book, &PLANTED).iter().map(|f| f.to_string()).collect();
    let is_it = |fault: &String| {
        fault.strip_prefix(file).is_some_and(|it| it.contains(words))
    };
    assert!(faults.iter().any(is_it), "no {words:?} in {file}: {faults:#?}");
}

/// Makes each edit `(OLD, NEW, WORDS)` of a file in a new book, and asserts
/// that an error is reported in that file.
#[track_caller]
fn assert_each_reported(file: &str, edits: &[(&str, &str, &str)]) {
    for (old, new, words) in edits {
        assert_reported(&book().edit(file, old, new), file, words);
    }
}

#[track_caller]
fn assert_none(book: &Tree) {
    let faults = faults(book, &PLANTED);
    let lines: Vec<String> = faults.iter().map(|f| f.to_string()).collect();
    assert!(faults.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn the_template_has_no_errors() {
    assert_none(&book());
}
