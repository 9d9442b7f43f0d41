//! Anchors that dangle, and listings that are not what is computed.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::{CHAPTER, CODE, INNER, MEASURED, PLANTED, book, reported};
use crate::generated::bare::left;
use crate::generated::measured::{foreign, unlike};
use crate::generated::near::near;
use crate::generated::program::{
    broken, built, everywhere, listing, program, wait,
};
use crate::generated::stale;
use crate::manifest::{MANIFEST, Needs, Output};
use crate::tree::Tree;

/// Promise: An anchor that no page quotes is reported.
#[test]
fn an_anchor_that_no_page_quotes_is_reported() {
    let spare = "// ANCHOR: spare\nfn x() {}\n// ANCHOR_END: spare\n";
    let book = book().with("src/spare.rs", spare);
    reported(book, "src/spare.rs:1: ", "no page quotes the anchor `spare`");
}

#[test]
fn an_anchor_that_never_closes_is_reported() {
    let book = book().edit(CODE, "// ANCHOR_END: mul\n", "");
    reported(book, "src/part1_cpu/ops.rs:2: ", "`mul` never closes");
}

#[test]
fn an_anchor_that_closes_before_it_opens_is_reported() {
    let book = book().edit(CODE, "//! Operations.", "// ANCHOR_END: sum");
    reported(book, "src/part1_cpu/ops.rs:1: ", "`sum` closes and was not open");
}

#[test]
fn an_anchor_that_opens_twice_is_reported() {
    let book = book().edit(CODE, "//! Operations.", "// ANCHOR: mul");
    reported(book, "src/part1_cpu/ops.rs:2: ", "`mul` opens twice");
}

#[test]
fn an_anchor_in_another_case_is_reported() {
    let book = book().edit(CODE, "//! Operations.", "// ANCHOR: Mul_2");
    reported(book, CODE, "the anchor `Mul_2` is not in kebab-case");
}

#[test]
fn a_stale_listing_is_reported_with_its_first_new_line() {
    let file = "book/listings/example.out";
    let fault = stale(&book(), file, "$ cargo run --example example\n12\n");
    let fault = fault.expect("a fault").to_string();
    assert!(fault.starts_with("book/listings/example.out:2: "), "{fault}");
    assert!(fault.contains("`12`") && fault.contains("UPDATE=1"), "{fault}");
    let same = "$ cargo run --example example\n9\n";
    assert_eq!(stale(&book(), file, same), None);
}

/// Promise: The book's checks list each example that no listing runs unchanged.
#[test]
fn an_example_that_no_listing_prints_as_it_is_is_left_to_be_run() {
    let book = book()
        .with("examples/example.rs", "")
        .with("examples/part1_other/main.rs", "")
        .with("examples/part1_other/mod.rs", "")
        .with("examples/part2_other.rs", "");
    let left = |is_here: fn(Needs) -> bool| {
        let names = left(&book, &PLANTED, is_here).into_iter();
        names.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(left(|_| true), "part1_other part2_other");
    assert_eq!(left(|needs| needs == Needs::Nothing), "part1_other");
    // Without what its listing needs nothing else has run it.
    let none = left(|needs| needs == Needs::Device);
    assert_eq!(none, "example part1_other part2_other");
}

#[test]
fn what_takes_long_is_run_once_and_in_short() {
    let tree = Tree::of_this_repository();
    let left = left(&tree, &MANIFEST, |_| true);
    assert!(!left.contains("part3_how_fast"), "{left:?}");
    assert!(left.contains("part3_shakespeare"), "{left:?}");
}

#[test]
fn a_region_from_inside_a_function_begins_at_the_first_column() {
    let computed = PLANTED.computed(&book());
    let (_, text) = computed.iter().find(|(out, _)| out == INNER).unwrap();
    assert_eq!(text.as_deref(), book().get(INNER).ok_or(&String::new()));
}

#[test]
fn a_listing_of_an_inner_region_without_its_file_is_reported() {
    let label = "<p class=\"file\">src/part1_cpu/ops.rs</p>\n\n```rust,ignore\n\
                 {{#include ../listings/example.rs}}";
    let bare = "```rust,ignore\n{{#include ../listings/example.rs}}";
    let book = book().edit(CHAPTER, label, bare);
    reported(book, CHAPTER, "Write <p class=\"file\">src/part1_cpu/ops.rs");
}

/// Promise: A training output may differ between processors in its numbers but
/// not in its words.
#[test]
fn training_may_end_at_other_numbers_but_not_at_other_words() {
    let found = "20/20  loss 0.061  right 98.6 %\n  8   .  36\n";
    assert!(near(found, "20/20  loss 0.1  right 97.8 %\n  8   1  35\n"));
    assert!(!near(found, "20/20  loss 0.061  right 91.9 %\n  8   .  36\n"));
    assert!(!near(found, "20/20  loss NaN  right 98.6 %\n  8   .  36\n"));
    assert!(!near(found, "20/20  loss 0.061  right 98.6 %\n  8   .\n"));
}

/// Promise: A drawn curve may differ between processors in its points but not
/// in its end or its labels.
#[test]
fn a_curve_may_have_other_points_but_must_reach_as_far() {
    let found = "<path d=\"M10 20L30.5 40L300 250\"/><text>0.5</text>";
    assert!(near(found, "<path d=\"M11 21L299 251\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"M10 20L300 100\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"\"/><text>0.5</text>"));
    assert!(!near(found, "<path d=\"M10 20L300 250\"/><text>y</text>"));
}

/// Promise: A measured listing without its machine and date is reported.
#[test]
fn a_measured_listing_without_place_and_time_is_reported() {
    let book = book().edit(CHAPTER, "in November 2026", "this year");
    reported(book, CHAPTER, "does not say where and when");
}

#[test]
fn a_measured_listing_of_another_command_is_reported() {
    let book = book().edit(MEASURED, "-- fast", "-- slow");
    reported(book, MEASURED, "this does not begin with its command");
}

#[test]
fn what_is_measured_has_other_numbers_but_not_other_words() {
    let found = "device  A 100\nhost    B\nread  4.0 KiB   12.5 µs  3\n\
                 read  4.0 KiB  9.1 ms  -\n1 |--==|\n";
    let wanted = "device  C\nhost    D\nread  4.0 KiB  1.2 s  1e-7\n\
                  7.5 |  -  =|\n";
    assert_eq!(unlike(found, wanted), None);
    let renamed = wanted.replace("read", "copy");
    assert!(unlike(found, &renamed).is_some_and(|line| line.contains("KiB")));
    let without = "device  C\nhost    D\n7.5 |  -  =|\n";
    assert!(unlike(found, without).is_some());
    // What a network writes is new in each run, and that it writes is not.
    let [found, wanted] =
        ["a page", "noise"].map(|it| format!("loss 2.0\nIt writes:\n\n{it}\n"));
    assert_eq!(unlike(&found, &wanted), None);
    assert!(unlike(&found, "loss 2.0\n").is_some());
}

#[test]
fn what_is_counted_has_the_words_of_its_script() {
    let found = "$ python3 counters.py\ndevice  A 1\nname  size\nrows  4x1\n";
    assert_eq!(foreign(found, r#"print("name size", "rows")"#), None);
    let table = "$ cargo learn bench\nengines A 1; B 2\nrows:  4 GB/s\n";
    assert_eq!(foreign(table, "rows"), None);
    let word = foreign(found, r#"print("name size")"#);
    assert_eq!(word.as_deref(), Some("rows"));
}

#[test]
fn a_listing_that_nothing_generates_is_reported() {
    let spare = "book/listings/spare.out";
    let book = book().with(spare, "9\n");
    reported(book, spare, "nothing generates this listing");
}

/// What the manifest computes for one file.
fn computed(book: &Tree, file: &str) -> Result<String, String> {
    let all = PLANTED.computed(book);
    all.into_iter().find(|(f, _)| f == file).expect("the file").1
}

/// Promise: The chapter "Add an operator" shows every file that a new operator
/// changes.
#[test]
fn a_place_of_the_new_operator_that_no_page_shows_is_reported() {
    let file = "src/part3_unified/backend.rs";
    let book = book().with(file, "enum Unary {\n    Exp,\n    Sin,\n}\n");
    reported(book, "src/part3_unified/backend.rs:3: ", "does not show it");
}

#[test]
fn what_an_operator_adds_to_a_file_is_its_lines_and_their_neighbors() {
    let text = "fn exp() {}\n\n/// The sine.\npub fn sin() {\n    x()\n}\n\n\
                let b;\nlet a = Sin;\nlet c;\nlet Single = d;\n";
    let book = book().with("src/part3_unified/ops.rs", text);
    let grown = computed(&book, "book/listings/example-grown.diff");
    let right = "+/// The sine.\n+pub fn sin() {\n+    x()\n+}\n\n \
                 let b;\n+let a = Sin;\n let c;\n";
    assert_eq!(grown.unwrap(), right);
}

#[test]
fn a_diff_shows_both_sides_and_what_they_share() {
    let new = "// ANCHOR: mul\nfn a() {\n    new();\n}\n// ANCHOR_END: mul";
    let book = book()
        .with(CODE, &new.replace("new", "old"))
        .with("src/part2_gpu/ops.rs", new);
    let diff = computed(&book, "book/listings/example.diff");
    let expected = " fn a() {\n-    old();\n+    new();\n }\n";
    pretty_assertions::assert_eq!(diff.as_deref(), Ok(expected));
}

#[test]
fn a_diff_of_two_strangers_asks_for_two_panes() {
    let book = book().with(
        "src/part2_gpu/ops.rs",
        "// ANCHOR: mul\nfn another() {}\n// ANCHOR_END: mul\n",
    );
    let diff = computed(&book, "book/listings/example.diff");
    assert!(diff.unwrap_err().contains("Show them in two panes"));
}

#[test]
fn a_diff_of_a_missing_region_is_reported() {
    let book = book().edit(CODE, "mul\n", "gone\n");
    let diff = computed(&book, "book/listings/example.diff");
    assert!(diff.unwrap_err().contains("has no anchor `mul`"));
}

#[test]
fn a_formula_becomes_a_block_of_mathml() {
    let mathml = computed(&book(), "book/listings/example.mml").unwrap();
    assert!(mathml.starts_with("<div class=\"math\">\n<math"), "{mathml}");
    assert!(!mathml.contains("\n\n"), "{mathml}");
}

#[test]
fn a_formula_that_does_not_parse_is_reported() {
    let book = book().with("book/math/example.tex", "\\frac{a}{");
    let mathml = computed(&book, "book/listings/example.mml");
    assert!(mathml.unwrap_err().contains("formula"));
}

const STEP: &str = "cargo run --example part1_step1_data";

/// A command, run for real.
fn run(command: &'static str, code: i32) -> Result<String, String> {
    let examples = built([command])?;
    let out = "book/listings/example.out";
    listing(
        &examples,
        &Output { out, command, code, needs: Needs::Nothing },
        &[],
    )
}

#[test]
fn a_listing_is_the_command_and_what_it_prints() {
    assert_eq!(run(STEP, 0).unwrap(), format!("$ {STEP}\nc = [6]\n"));
}

/// PoCL's own compiler may have a warning, when its cache is empty.
///
/// Promise: Driver messages on standard error are in no listing.
#[test]
fn what_a_driver_says_on_standard_error_is_in_no_listing() {
    if testkit::device::gpu_or_skip().is_none() {
        return;
    }
    let examples = built(["cargo run --example part2_mul"]);
    let examples = examples.expect("the example builds");
    let said = |command| {
        let out = "book/listings/example.out";
        let output = Output { out, command, code: 0, needs: Needs::Pocl };
        listing(&examples, &output, &[]).unwrap()
    };
    // With this variable PoCL tells all that it does.
    let noisy = said("POCL_DEBUG=all cargo run --example part2_mul");
    let plain = said("cargo run --example part2_mul");
    assert_eq!(
        noisy.split_once('\n').unwrap().1,
        plain.split_once('\n').unwrap().1
    );
}

#[test]
fn only_a_command_that_asks_no_driver_may_end_with_a_sentence() {
    for output in crate::manifest::MANIFEST.outputs().filter(|it| it.code != 0)
    {
        assert_eq!(output.needs, Needs::Nothing, "{}", output.out);
    }
}

#[test]
fn a_command_that_ends_with_another_code_is_reported() {
    let text = run(STEP, 3).unwrap_err();
    assert!(text.contains("expected code 3"), "{text}");
}

#[test]
fn a_command_for_an_example_that_does_not_exist_is_reported() {
    let text = run("cargo run --example nothing", 0).unwrap_err();
    assert!(text.contains("no example target named `nothing`"), "{text}");
}

#[test]
fn a_command_that_runs_no_example_is_reported() {
    let text = run("cargo learn doctor", 0).unwrap_err();
    assert!(text.contains("`cargo learn doctor` runs no example"), "{text}");
}

#[test]
fn quotes_and_variables_of_a_command_are_understood() {
    let typed = "RUNGRAD_DEVICE=gpu cargo learn try \"(a * b) * b\" a=2";
    let read = program(typed).unwrap();
    assert_eq!(read.file, "expression");
    assert_eq!(read.words, ["(a * b) * b", "a=2"]);
    assert_eq!(read.variables, [("RUNGRAD_DEVICE".into(), "gpu".into())]);
    let read = program("A=\"two words\" B= cargo run --example x").unwrap();
    let expected = [("A", "two words"), ("B", "")];
    let expected = expected.map(|(name, value)| (name.into(), value.into()));
    assert_eq!(read.variables, expected);
}

#[test]
fn a_tool_before_the_command_gets_what_cargo_would_run() {
    let read = program("A=1 tool --option 2 cargo run --example x -- y");
    let read = read.unwrap();
    assert_eq!(read.tool, ["tool", "--option", "2"]);
    assert_eq!(read.variables, [("A".into(), "1".into())]);
    assert_eq!(read.file, "examples/x");
    assert_eq!(read.words, ["y"]);
}

#[cfg(unix)]
#[test]
fn what_a_tool_says_comes_before_the_program_s_last_word() {
    const TOLD: &str = "env -v cargo run --example part1_step1_data";
    let text = run(TOLD, 0).unwrap();
    let said = text.strip_prefix(&format!("$ {TOLD}\n")).unwrap();
    let last = said.strip_suffix("\nc = [6]\n").unwrap();
    assert!(!last.is_empty(), "{text}");
}

#[cfg(unix)]
#[test]
fn an_example_that_hangs_is_stopped_and_reported() {
    let mut sleep = Command::new("sleep");
    sleep.arg("60").stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = sleep.spawn().expect("sleep starts");
    let ended = wait(child, Duration::from_millis(20)).unwrap_err();
    assert!(ended.contains("does not end within"), "{ended}");
}

#[test]
fn a_command_that_is_too_wide_is_broken_as_a_shell_reads_it() {
    let wide = "tool --option 1 cargo run --example a_rather_long_name -- \
                and then some words";
    let expected = "tool --option 1 cargo run --example a_rather_long_name -- \
                    and then some \\\n    words";
    assert_eq!(broken(wide), expected);
    assert_eq!(broken(STEP), STEP);
}

#[test]
fn words_that_differ_from_machine_to_machine_are_taken_out() {
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
