//! Tests of the generated listings, diffs, formulas and boxes.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::{
    ASKED, BOX, CHAPTER, CHOICE, CHOICES, CHOSEN_TEXT, CODE, DIFF, INNER,
    MEASURED, OUTPUT, PLANTED, QUESTION, QUESTIONS, ROWS, assert_each_reported,
    assert_reported, book,
};
use crate::generated::bare::left;
use crate::generated::measured::{foreign, unlike};
use crate::generated::near::near;
use crate::generated::program::{
    broken, built, everywhere, listing, program, wait,
};
use crate::generated::stale;
use crate::manifest::{MANIFEST, Needs};
use crate::tree::Tree;

/// Returns what the manifest computes for one file.
fn computed(book: &Tree, file: &str) -> Result<String, String> {
    let all = PLANTED.computed(book);
    all.into_iter().find(|(f, _)| f == file).expect("the file").1
}

#[test]
fn a_stale_listing_is_reported_with_its_first_new_line() {
    let fault = stale(&book(), OUTPUT, "$ cargo run --example example\n12\n");
    let fault = fault.expect("a fault").to_string();
    assert!(fault.starts_with("book/listings/example.out:2: "), "{fault}");
    assert!(fault.contains("`12`") && fault.contains("UPDATE=1"), "{fault}");
    let same = "$ cargo run --example example\n9\n";
    assert_eq!(stale(&book(), OUTPUT, same), None);
}

/// Promise: The book's checks list each example that no listing runs without
/// changes.
#[test]
fn an_example_without_an_unchanged_listing_is_run() {
    let book = book()
        .with("examples/example.rs", "")
        .with("examples/part1_other/main.rs", "")
        .with("examples/part1_other/mod.rs", "")
        .with("examples/part2_other.rs", "");
    let left_of = |is_here: fn(Needs) -> bool| {
        let names = left(&book, &PLANTED, is_here).into_iter();
        names.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(left_of(|_| true), "part1_other part2_other");
    assert_eq!(left_of(|needs| needs == Needs::Nothing), "part1_other");
    // The listing's requirement is missing, so its example has not run.
    let none = left_of(|needs| needs == Needs::Device);
    assert_eq!(none, "example part1_other part2_other");
    let all = left(&Tree::of_this_repository(), &MANIFEST, |_| true);
    assert!(!all.contains("part3_how_fast"), "{all:?}");
    assert!(all.contains("part3_shakespeare"), "{all:?}");
}

#[test]
fn an_indented_region_is_moved_to_the_first_column() {
    let text = computed(&book(), INNER);
    assert_eq!(text.as_deref(), book().get(INNER).ok_or(&String::new()));
}

/// Promise: A training output may differ between processors in its numbers but
/// not in its words.
#[test]
fn training_may_differ_in_numbers_but_not_in_words() {
    let found = "20/20  loss 0.061  right 98.6 %\n  8   .  36\n";
    assert!(near(found, "20/20  loss 0.1  right 97.8 %\n  8   1  35\n"));
    assert!(!near(found, "20/20  loss 0.061  right 91.9 %\n  8   .  36\n"));
    assert!(!near(found, "20/20  loss NaN  right 98.6 %\n  8   .  36\n"));
    assert!(!near(found, "20/20  loss 0.061  right 98.6 %\n  8   .\n"));
}

/// Promise: A drawn curve may differ between processors in its points but not
/// in its end or its labels.
#[test]
fn a_curve_may_differ_in_points_but_not_in_extent() {
    let found = "<path d=\"M10 20L30.5 40L300 250\"/><text>0.5</text>";
    assert!(near(found, "<path d=\"M11 21L299 251\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"M10 20L300 100\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"M10 20L300 250\"/><text>y</text>"));
}

/// Promise: A measured listing without its machine is reported.
#[test]
fn a_measured_listing_needs_a_command_and_a_machine() {
    let other = ("[Xeon-2](machines.md)", "a card", "does not say where");
    assert_each_reported(CHAPTER, &[other]);
    let other = ("-- fast", "-- slow", "this does not begin with its command");
    assert_each_reported(MEASURED, &[other]);
}

#[test]
fn a_measured_listing_may_differ_in_numbers_but_not_in_words() {
    let found = "device  A 100\nhost    B\nread  4.0 KiB   12.5 µs  3\n\
                 read  4.0 KiB  9.1 ms  -\n1 |--==|\n";
    let wanted = "device  C\nhost    D\nread  4.0 KiB  1.2 s  1e-7\n\
                  7.5 |  -  =|\n";
    assert_eq!(unlike(found, wanted), None);
    let renamed = wanted.replace("read", "copy");
    assert!(unlike(found, &renamed).is_some_and(|line| line.contains("KiB")));
    let without = "device  C\nhost    D\n7.5 |  -  =|\n";
    assert!(unlike(found, without).is_some());
    // A network writes a different text in each run, but it must write one.
    let [found, wanted] =
        ["a page", "noise"].map(|it| format!("loss 2.0\nIt writes:\n\n{it}\n"));
    assert_eq!(unlike(&found, &wanted), None);
    assert!(unlike(&found, "loss 2.0\n").is_some());
}

#[test]
fn a_listing_of_counters_has_the_words_of_its_script() {
    let found = "$ python3 counters.py\ndevice  A 1\nname  size\nrows  4x1\n";
    assert_eq!(foreign(found, r#"print("name size", "rows")"#), None);
    let table = "$ cargo learn bench\nengines A 1; B 2\nrows:  4 GB/s\n";
    assert_eq!(foreign(table, "rows"), None);
    let word = foreign(found, r#"print("name size")"#);
    assert_eq!(word.as_deref(), Some("rows"));
}

/// Promise: The chapter "Add an operator" shows every file that a new operator
/// changes.
#[test]
fn a_changed_file_of_the_new_operator_without_a_page_is_reported() {
    let file = "src/part3_unified/backend.rs";
    let book = book().with(file, "enum Unary {\n    Exp,\n    Sin,\n}\n");
    assert_reported(&book, file, ":3: this belongs to the operator");
}

#[test]
fn the_lines_of_an_operator_are_shown_with_their_neighbors() {
    let text = "fn exp() {}\n\n/// The sine.\npub fn sin() {\n    x()\n}\n\n\
                let b;\nlet a = Sin;\nlet c;\nlet Single = d;\n";
    let book = book().with("src/part3_unified/ops.rs", text);
    let grown = computed(&book, "book/listings/example-grown.diff");
    let right = "+/// The sine.\n+pub fn sin() {\n+    x()\n+}\n\n \
                 let b;\n+let a = Sin;\n let c;\n";
    assert_eq!(grown.unwrap(), right);
}

#[test]
fn similar_regions_are_shown_as_a_diff() {
    let region = |text| format!("// ANCHOR: mul\n{text}\n// ANCHOR_END: mul\n");
    let diff = |old, new| {
        let book = book().with(CODE, &region(old));
        computed(&book.with("src/part2_gpu/ops.rs", &region(new)), DIFF)
    };
    let new = diff("fn a() {\n    old();\n}", "fn a() {\n    new();\n}");
    assert_eq!(new.unwrap(), " fn a() {\n-    old();\n+    new();\n }\n");
    let strangers = diff("fn a() {}", "fn b() {}").unwrap_err();
    assert!(strangers.contains("Show them in two panes"), "{strangers}");
    let missing = computed(&book().edit(CODE, "mul\n", "gone\n"), DIFF);
    assert!(missing.unwrap_err().contains("has no anchor `mul`"));
}

#[test]
fn a_formula_becomes_a_block_of_mathml() {
    let file = "book/listings/example.mml";
    let mathml = computed(&book(), file).unwrap();
    assert!(mathml.starts_with("<div class=\"math\">\n<math"), "{mathml}");
    assert!(!mathml.contains("\n\n"), "{mathml}");
    let broken = book().with("book/math/example.tex", "\\frac{a}{");
    assert!(computed(&broken, file).unwrap_err().contains("formula"));
}

const EXERCISE_BOX: &str = r#"<div class="exercise">

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

a \* b, twice

</details>

<details>
<summary>A hint</summary>

vec\!\[b, a\]

</details>

<details>
<summary>Nearly the answer</summary>

a \< b

</details>

`cargo learn solution example` shows ours once yours passes.

</div>
"#;

#[test]
fn the_box_of_an_exercise_follows_its_row() {
    let text = computed(&book(), BOX).unwrap();
    pretty_assertions::assert_eq!(text, EXERCISE_BOX);
    let untitled = book().edit(ROWS, "title = ", "name = ");
    let fault = computed(&untitled, ROWS).unwrap_err();
    assert!(fault.contains("title"), "{fault}");
}

/// Promise: A prediction takes its answer from the program's output.
#[test]
fn a_question_follows_its_row_and_the_output_of_the_program() {
    pretty_assertions::assert_eq!(computed(&book(), QUESTION).unwrap(), ASKED);
    let other = book().edit(OUTPUT, "\n9\n", "\n10\n");
    assert!(computed(&other, QUESTION).unwrap().contains("**10.**"));
    for (old, new, words) in [
        ("number = 1", "number = 2", "no number 2"),
        ("example.out", "x.out", "`book/listings/x.out` does not exist"),
        ("\"6\"", "\"9\"", "calls 9 wrong, and it is right"),
    ] {
        let book = book().edit(QUESTIONS, old, new);
        let fault = computed(&book, QUESTION).unwrap_err();
        assert!(fault.contains(words), "{fault}");
    }
    let unread = book().edit(QUESTIONS, "why = ", "whys = ");
    assert!(computed(&unread, QUESTIONS).is_err());
}

/// Promise: A question with choices has one right choice, and a reason for
/// each choice.
#[test]
fn a_question_with_choices_follows_its_row() {
    pretty_assertions::assert_eq!(
        computed(&book(), CHOICE).unwrap(),
        CHOSEN_TEXT
    );
    for (old, new, words) in [
        (", right = true", "", "3 choices, 0 of them right"),
        ("\"no\",", "\"no\", right = true,", "3 choices, 2 of them right"),
        ("    { text = \"no\"", "#", "has 2 choices"),
        ("It depends.", "no", "\"no\" of the question"),
        ("9 < 10.", " ", "needs a reason"),
    ] {
        let book = book().edit(CHOICES, old, new);
        let fault = computed(&book, CHOICE).unwrap_err();
        assert!(fault.contains(words), "{fault}");
    }
    let unread = book().edit(CHOICES, "reason = ", "why = ");
    assert!(computed(&unread, CHOICES).is_err());
}

const STEP: &str = "cargo run --example part1_step1_data";

/// Runs a command.
fn run(command: &str) -> Result<String, String> {
    listing(&built([command])?, command, &[])
}

#[test]
fn a_listing_is_the_command_and_its_output() {
    assert_eq!(run(STEP).unwrap(), format!("$ {STEP}\nc = [6]\n"));
}

/// PoCL's compiler may print a warning when its cache is empty.
///
/// Promise: Driver messages on standard error are in no listing.
#[test]
fn driver_messages_are_in_no_listing() {
    if testkit::device::gpu_or_skip().is_none() {
        return;
    }
    let plain = run("cargo run --example part2_mul").unwrap();
    // With this variable, PoCL prints debug messages.
    let noisy = run("POCL_DEBUG=all cargo run --example part2_mul").unwrap();
    assert_eq!(
        noisy.split_once('\n').unwrap().1,
        plain.split_once('\n').unwrap().1
    );
}

#[test]
fn a_failing_command_is_reported() {
    for (command, words) in [
        ("cargo run --example nothing", "no example target named `nothing`"),
        ("cargo learn doctor", "`cargo learn doctor` runs no example"),
        #[cfg(unix)]
        (
            "false cargo run --example part1_step1_data",
            "ended with exit status",
        ),
    ] {
        let text = run(command).unwrap_err();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn quotes_variables_and_tools_are_parsed() {
    let typed = "A=\"two words\" B= tool --option 2 cargo learn try \
                 \"(a * b) * b\" a=2";
    let read = program(typed).unwrap();
    let variables = [("A", "two words"), ("B", "")];
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    assert_eq!(read.variables, variables);
    assert_eq!(read.tool, ["tool", "--option", "2"]);
    assert_eq!(read.file, "expression");
    assert_eq!(read.words, ["(a * b) * b", "a=2"]);
    let read = program("cargo run --release --example x -- y").unwrap();
    assert_eq!(read.file, "examples/x");
    assert_eq!(read.words, ["y"]);
    let read = program("cargo run -p cluster --example x -- y").unwrap();
    assert_eq!(read.file, "examples/x");
    assert_eq!(read.words, ["y"]);
}

#[cfg(unix)]
#[test]
fn messages_of_a_tool_precede_the_output() {
    const TOLD: &str = "env -v cargo run --example part1_step1_data";
    let text = run(TOLD).unwrap();
    let said = text.strip_prefix(&format!("$ {TOLD}\n")).unwrap();
    let last = said.strip_suffix("\nc = [6]\n").unwrap();
    assert!(!last.is_empty(), "{text}");
}

#[cfg(unix)]
#[test]
fn a_hanging_example_is_killed_and_reported() {
    let mut sleep = Command::new("sleep");
    sleep.arg("60").stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = sleep.spawn().expect("sleep starts");
    let ended = wait(child, Duration::from_millis(20)).unwrap_err();
    assert!(ended.contains("does not end within"), "{ended}");
}

#[test]
fn a_wide_command_is_wrapped_for_a_shell() {
    let wide = "tool --option 1 cargo run --example a_rather_long_name -- \
                and then some words";
    let expected = "tool --option 1 cargo run --example a_rather_long_name -- \
                    and then some \\\n    words";
    assert_eq!(broken(wide), expected);
    assert_eq!(broken(STEP), STEP);
}

#[test]
fn words_that_depend_on_the_machine_are_replaced() {
    let root = Tree::root().display();
    let devices = ["NVIDIA H200"];
    let text = format!(
        "NVIDIA H200, 1.25 ms (9 s, 80x): {root}/x is 2x3\n  \
         compute units   132\n  local memory    48.0 KiB\n"
    );
    let expected = "(your device), … ms (… s, …x): x is 2x3\n  \
                    compute units   …\n  local memory    …\n";
    assert_eq!(everywhere(&text, &devices), expected);
}
