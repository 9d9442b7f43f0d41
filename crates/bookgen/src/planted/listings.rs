//! Code, output and commands that were typed, and includes that show nothing.

use super::{CHAPTER, CODE, DIFF, SVG, book, chapter, reported};

const INCLUDE: &str = "{{#include ../../src/part1_cpu/ops.rs:mul}}";

/// Promise: Rust code that is typed into a page is reported.
#[test]
fn rust_typed_into_a_page_is_reported() {
    let book = chapter(INCLUDE, "let c = &a * &b;");
    reported(book, "book/src/template.md:25: ", "than one include");
}

#[test]
fn typed_code_beside_an_include_is_reported() {
    let book = chapter(INCLUDE, &format!("{INCLUDE}\nlet c = 1;"));
    reported(book, CHAPTER, "than one include");
}

/// Promise: Program output that is typed into a page is reported.
#[test]
fn a_typed_output_is_reported() {
    let book = chapter("{{#include ../listings/example.out}}", "$ x\n9");
    reported(book, CHAPTER, "a `console` fence holds something else");
}

#[test]
fn a_fence_without_a_language_is_reported() {
    let book = chapter("A kernel is a listing too.", "```\nx\n```");
    reported(book, CHAPTER, "a `` fence holds something else");
}

#[test]
fn an_indented_code_block_is_reported() {
    let book = chapter("A kernel is a listing too.", "    let c = 1;");
    reported(book, CHAPTER, "an indented code block is typed code");
}

#[test]
fn output_among_shell_commands_is_reported() {
    let typed = "```sh\npassed 3 of 3\n```";
    let book = chapter("A kernel is a listing too.", typed);
    reported(book, CHAPTER, "`passed 3 of 3` is not a command");
}

#[test]
fn a_command_for_an_unknown_example_is_reported() {
    let typed = "```sh\ncargo run --example nothing\n```";
    let book = chapter("A kernel is a listing too.", typed);
    reported(book, CHAPTER, "there is no example `nothing`");
}

#[test]
fn a_missing_file_is_reported() {
    let book = chapter("part1_cpu/ops.rs:mul", "part1_cpu/gone.rs:mul");
    reported(book, CHAPTER, "`src/part1_cpu/gone.rs` does not exist");
}

/// Promise: An include of a missing anchor is reported.
#[test]
fn a_missing_anchor_is_reported() {
    let book = chapter("part1_cpu/ops.rs:mul", "part1_cpu/ops.rs:div");
    reported(book, CHAPTER, "`src/part1_cpu/ops.rs` has no anchor `div`");
}

#[test]
fn a_whole_source_file_and_a_range_of_lines_are_reported() {
    let book = chapter("part1_cpu/ops.rs:mul}}", "part1_cpu/ops.rs}}");
    reported(book, CHAPTER, "`src/part1_cpu/ops.rs` is included whole");
    let book = chapter("part1_cpu/ops.rs:mul}}", "part1_cpu/ops.rs:2:4}}");
    reported(book, CHAPTER, "has no anchor `2:4`");
}

/// Promise: An include of an empty region is reported.
#[test]
fn an_empty_region_is_reported() {
    let empty = "// ANCHOR: mul\n// ANCHOR_END: mul\n";
    reported(book().with(CODE, empty), CHAPTER, "shows nothing here");
}

#[test]
fn a_region_inside_an_impl_is_reported() {
    let inside = "impl T {\n    // ANCHOR: mul\n    fn mul() {}\n    \
                  // ANCHOR_END: mul\n}\n";
    let book = book().with(CODE, inside);
    reported(book, CHAPTER, "does not start at the first column");
}

#[test]
fn a_line_wider_than_the_page_is_reported() {
    let book = book().edit(CODE, "// here", &"x".repeat(77));
    reported(book, CHAPTER, "wider than 80 characters");
    let wide = format!(" {}\n", "x".repeat(81));
    let book = crate::planted::book().with(DIFF, &wide);
    reported(book, CHAPTER, "wider than 81 characters");
}

#[test]
fn a_table_beside_peers_may_be_wider() {
    let table = |word: &str, wide: usize| {
        let text = format!("$ cargo learn {word}\n{}\n", "x".repeat(wide));
        crate::planted::book().with("book/listings/example.out", &text)
    };
    reported(table("try", 81), CHAPTER, "wider than 80 characters");
    reported(table("bench", 141), CHAPTER, "wider than 140 characters");
}

#[test]
fn a_listing_longer_than_a_screen_is_reported() {
    let book = book().edit(CODE, "// here", &"x();\n".repeat(61));
    reported(book, CHAPTER, "longer than 60 lines");
}

#[test]
fn an_indented_include_is_reported() {
    let book = chapter(INCLUDE, &format!("  {INCLUDE}"));
    reported(book, CHAPTER, "an indented include leaves its block");
}

#[test]
fn an_include_that_hides_lines_is_reported() {
    let book = chapter(INCLUDE, &INCLUDE.replace("include", "rustdoc_include"));
    reported(book, CHAPTER, "`rustdoc_include` hides what it does");
}

#[test]
fn code_included_as_prose_is_reported() {
    let book = chapter("A kernel is a listing too.", INCLUDE);
    reported(book, CHAPTER, "is included as prose");
}

#[test]
fn a_fence_of_another_language_is_reported() {
    let book = chapter("```rust,ignore", "```rust");
    reported(book, CHAPTER, "Write ```rust,ignore");
}

#[test]
fn an_include_of_the_learners_file_is_reported() {
    let book =
        chapter(INCLUDE, "{{#include ../../exercises/part1_cpu/m.rs:m}}");
    reported(book, CHAPTER, "belongs to the learner");
}

#[test]
fn another_name_above_a_listing_is_reported() {
    let book = chapter(">src/part1_cpu/ops.rs</p>", ">src/ops.rs</p>");
    reported(book, CHAPTER, "the name above this listing is not");
    let book = chapter("→ src/part2_gpu/ops.rs", "→ src/part3.rs");
    reported(book, CHAPTER, "src/part1_cpu/ops.rs → src/part2_gpu/ops.rs</p>");
}

#[test]
fn a_listing_and_a_figure_on_no_page_are_reported() {
    let spare = "book/figures/spare.svg";
    let svg = SVG.replace("example", "spare");
    reported(book().with(spare, &svg), spare, "no page shows this file");
    let spare = "book/listings/spare.out";
    reported(book().with(spare, "9\n"), spare, "no page shows this file");
}
