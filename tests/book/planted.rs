//! Each check is shown a fault: a small book that has none, one edit, and the
//! sentence that must come. The chapter of that book is the template that
//! authors copy, so the template keeps the rules too.

use crate::faults;
use crate::generated::{Diff, Manifest, Output, stale};
use crate::program::everywhere;
use crate::tree::Tree;

const CHAPTER: &str = "book/src/ch11-template.md";
const SUMMARY: &str = "book/src/SUMMARY.md";
const GLOSSARY: &str = "book/src/glossary.md";
const FIGURE: &str = "book/figures/example.svg";
const CODE: &str = "src/part1_cpu/ops.rs";
const CSS: &str = "book/theme/book.css";

const PLANTED: Manifest = Manifest {
    outputs: &[Output { out: "book/listings/example.out", args: &[], code: 0 }],
    diffs: &[Diff {
        out: "book/listings/example.diff",
        old: "src/part1_cpu/ops.rs:mul",
        new: "src/part2_gpu/ops.rs:mul",
    }],
    figures: &[],
};

/// Eleven chapters, ten of them drafts.
fn book() -> Tree {
    let drafts = "- [Draft]()\n".repeat(10);
    let summary = format!(
        "# Summary\n\n[Introduction](introduction.md)\n\n{drafts}\
         - [The title, as in SUMMARY.md](ch11-template.md)\n\n\
         [Glossary](glossary.md)\n"
    );
    let mul = "//! Operations.\n// ANCHOR: mul\n\
               /// The product.\npub fn mul() {\n    // here\n}\n\
               // ANCHOR_END: mul\n";
    Tree::default()
        .with("book/book.toml", include_str!("../../book/book.toml"))
        .with(CSS, include_str!("../../book/theme/book.css"))
        .with("book/theme/fonts/stix-two-math.woff2", "")
        .with(SUMMARY, &summary)
        .with(CHAPTER, include_str!("../../book/CHAPTER.md"))
        .with("book/src/introduction.md", "# Introduction\n\nHello.\n")
        .with(GLOSSARY, "# Glossary\n\nBold\n: Seen from afar.\n")
        .with("book/math/example.tex", "a + b\n")
        .with("book/listings/example.mml", "<div class=\"math\">..</div>\n")
        .with("book/listings/example.out", "$ cargo run --example example\n9\n")
        .with("book/listings/example.diff", " a\n-b\n+c\n")
        .with(FIGURE, SVG)
        .with("examples/example.rs", "fn main() {}\n")
        .with("kernels/part2/mul.cl", mul)
        .with(CODE, mul)
        .with("src/part2_gpu/ops.rs", mul)
}

const SVG: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 90\" role=\"img\">
<title>A product</title>
<marker id=\"example-head\"/>
<path d=\"M0 0H9\" stroke=\"currentColor\" marker-end=\"url(#example-head)\"/>
</svg>
";

/// The faults of a book hold one at `place` that says `words`.
#[track_caller]
fn reported(book: Tree, place: &str, words: &str) {
    let faults: Vec<String> =
        faults(&book, &PLANTED).iter().map(|f| f.to_string()).collect();
    assert!(
        faults.iter().any(|f| f.starts_with(place) && f.contains(words)),
        "nothing at {place} says {words:?}: {faults:#?}"
    );
}

/// One edit of the chapter.
fn chapter(old: &str, new: &str) -> Tree {
    book().edit(CHAPTER, old, new)
}

#[test]
fn the_template_and_its_book_have_no_fault() {
    crate::assert_none(&faults(&book(), &PLANTED));
}

// Listings.

const INCLUDE: &str = "{{#include ../../src/part1_cpu/ops.rs:mul}}";

#[test]
fn rust_typed_into_a_page_is_reported() {
    let book = chapter(INCLUDE, "let c = &a * &b;");
    reported(book, "book/src/ch11-template.md:25: ", "than one include");
}

#[test]
fn typed_code_beside_an_include_is_reported() {
    let book = chapter(INCLUDE, &format!("{INCLUDE}\nlet c = 1;"));
    reported(book, CHAPTER, "than one include");
}

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
    let book = chapter("cargo learn check mul-1", "passed 3 of 3");
    reported(book, CHAPTER, "`passed 3 of 3` is not a command");
}

#[test]
fn a_command_for_an_unknown_example_is_reported() {
    let book = chapter(
        "cargo learn check mul-1",
        "cargo run --example nothing\ncargo learn check mul-1",
    );
    reported(book, CHAPTER, "there is no example `nothing`");
}

#[test]
fn a_missing_file_is_reported() {
    let book = chapter("part1_cpu/ops.rs:mul", "part1_cpu/gone.rs:mul");
    reported(book, CHAPTER, "`src/part1_cpu/gone.rs` does not exist");
}

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

// Anchors.

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

// What is generated.

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

#[test]
fn words_that_differ_from_machine_to_machine_are_taken_out() {
    let root = Tree::root().display();
    let devices = ["NVIDIA H200".to_string()];
    let text = format!("NVIDIA H200, 1.25 ms (9 s): {root}/x.rs is 12 long\n");
    let expected = "(your device), … ms (… s): ./x.rs is 12 long\n";
    assert_eq!(everywhere(&text, &devices), expected);
}

// Figures.

fn figure(old: &str, new: &str) -> Tree {
    book().edit(FIGURE, old, new)
}

#[test]
fn an_empty_line_in_a_figure_is_reported() {
    let book = figure("</title>\n", "</title>\n\n");
    reported(book, "book/figures/example.svg:3: ", "an empty line ends");
}

#[test]
fn a_figure_that_is_not_xml_is_reported() {
    reported(figure("</svg>", ""), FIGURE, "not well-formed XML");
}

#[test]
fn a_figure_that_cannot_be_read_aloud_is_reported() {
    reported(figure(" role=\"img\"", ""), FIGURE, "has no role");
    reported(figure("<title>A product</title>", ""), FIGURE, "its name");
    reported(figure("A product", " "), FIGURE, "its name");
}

#[test]
fn a_figure_of_another_width_is_reported() {
    reported(figure("0 0 680", "0 0 700"), FIGURE, "not 680 wide");
    let book = figure("<svg ", "<svg width=\"900\" ");
    reported(book, FIGURE, "a fixed width");
}

#[test]
fn an_id_that_may_meet_another_is_reported() {
    let book = figure("example-head", "head");
    reported(book, "book/figures/example.svg:3: ", "Call it `example-head`");
}

#[test]
fn a_reference_that_leads_nowhere_is_reported() {
    let book = figure("url(#example-head)", "url(#example-tail)");
    reported(book, FIGURE, "`example-tail` is not an id");
}

#[test]
fn a_color_that_ignores_the_theme_is_reported() {
    let book = figure("\"currentColor\"", "\"#1a2b3c\"");
    reported(book, FIGURE, "`#1a2b3c` does not follow the theme");
    let book = figure("<path ", "<path style=\"fill: red\" ");
    reported(book, FIGURE, "`fill: red` does not follow the theme");
}

#[test]
fn a_picture_or_a_script_inside_a_figure_is_reported() {
    let book = figure("</svg>", "<image href=\"a.png\"/></svg>");
    reported(book, FIGURE, "<image> reaches beyond the figure");
}

#[test]
fn a_figure_without_its_block_is_reported() {
    let open = "\n<figure>\n";
    let book = chapter(open, "<figure>\n");
    reported(book, CHAPTER, "a figure stands in its own block");
    let book = chapter(open, "\n<figure>\n\n");
    reported(book, CHAPTER, "a figure stands in its own block");
}

#[test]
fn a_figure_without_a_caption_is_reported() {
    let caption = "<figcaption>What the picture shows, in one sentence.\
                   </figcaption>\n";
    let book = chapter(caption, "");
    reported(book, CHAPTER, "a figure stands in its own block");
}

#[test]
fn a_figure_or_a_formula_typed_into_a_page_is_reported() {
    let book = chapter("A kernel is a listing too.", "<svg></svg>");
    reported(book, CHAPTER, "`<svg` is typed into the page");
    let book = chapter("A kernel is a listing too.", "$$a + b$$");
    reported(book, CHAPTER, "`$$` is typed into the page");
}

#[test]
fn a_formula_inside_a_paragraph_is_reported() {
    let book = chapter("enough.\n\n", "enough.\n");
    reported(book, CHAPTER, "a formula stands alone");
}

// Ways around the book.

#[test]
fn a_link_to_no_page_is_reported() {
    let book = chapter("(glossary.md#bold)", "(glossar.md)");
    reported(book, CHAPTER, "the book has no `book/src/glossar.md`");
    let book = chapter("(glossary.md#bold)", "(../../README.md)");
    reported(book, CHAPTER, "the book has no `README.md`");
}

#[test]
fn a_fragment_of_no_heading_is_reported() {
    let book = chapter("(glossary.md#bold)", "(glossary.md#italic)");
    reported(book, CHAPTER, "has no heading or id `italic`");
    let book = chapter("(glossary.md#bold)", "(#nowhere)");
    reported(book, CHAPTER, "has no heading or id `nowhere`");
}

#[test]
fn fragments_are_those_that_mdbook_makes() {
    let heading = "## Don't — `Rc<T>`, twice\n\n## Run it\n\n[1](#RUN)\n";
    let at = |fragment: &str| {
        let text = heading.replace("RUN", fragment);
        chapter("## The idea, in a heading of your own", &text)
    };
    for known in ["dont--rct-twice", "run-it", "run-it-1"] {
        let faults = faults(&at(known), &PLANTED);
        assert!(faults.iter().all(|f| !f.what.contains("or id")), "{known}");
    }
    reported(at("run-it-2"), CHAPTER, "has no heading or id `run-it-2`");
}

#[test]
fn a_dead_link_in_raw_html_is_reported() {
    let book = chapter("A kernel is a listing too.", "<a href=\"x.md\">x</a>");
    reported(book, CHAPTER, "the link `x.md` leads nowhere");
}

#[test]
fn what_a_page_loads_from_the_network_is_reported() {
    let image = "![x](https://example.org/x.png)";
    let book = chapter("A kernel is a listing too.", image);
    reported(book, CHAPTER, "is loaded from the network");
    let script = "<script src=\"//example.org/x.js\"></script>";
    let book = chapter("A kernel is a listing too.", script);
    reported(book, CHAPTER, "is loaded from the network");
}

#[test]
fn what_the_theme_loads_from_the_network_is_reported() {
    let import = "@import \"https://example.org/x.css\";\n/* Colors";
    let theme = book().edit(CSS, "/* Colors", import);
    reported(theme, "book/theme/book.css:1: ", "this names another host");
    let script = "fetch(\"http://example.org\");\n";
    let theme = book().with("book/theme/stepper.js", script);
    reported(theme, "book/theme/stepper.js:1: ", "this names another host");
}

#[test]
fn a_resource_of_the_theme_that_is_missing_is_reported() {
    let book = book().without("book/theme/fonts/stix-two-math.woff2");
    reported(book, CSS, "the theme has no `fonts/stix-two-math.woff2`");
}

#[test]
fn a_plugin_and_mathjax_are_reported() {
    let toml = "book/book.toml";
    let plugin = "[preprocessor.katex]\n\n[rust]";
    reported(book().edit(toml, "[rust]", plugin), toml, "by mdBook alone");
    let mathjax = "[output.html]\nmathjax-support = true";
    let book = book().edit(toml, "[output.html]", mathjax);
    reported(book, toml, "MathJax comes from another host");
}

#[test]
fn a_page_that_the_contents_do_not_list_is_reported() {
    let book = book().with("book/src/spare.md", "# Spare\n");
    reported(book, "book/src/spare.md", "SUMMARY.md does not list this page");
}

#[test]
fn a_listed_page_that_does_not_exist_is_reported() {
    let book = book().edit(SUMMARY, "[Draft]()", "[Draft](ch99-gone.md)");
    reported(book, SUMMARY, "`book/src/ch99-gone.md` does not exist");
}

#[test]
fn two_titles_of_one_chapter_are_reported() {
    let book = chapter("# The title, as in SUMMARY.md", "# Another title");
    reported(book, "book/src/SUMMARY.md:15: ", "itself \"Another title\"");
}

#[test]
fn a_chapter_at_another_number_is_reported() {
    let book = book().edit(SUMMARY, "- [The", "- [One more]()\n- [The");
    reported(book, SUMMARY, "`ch11-template.md` stands at number 12");
}

#[test]
fn a_file_that_mdbook_would_copy_is_reported() {
    let file = "book/src/notes.txt";
    reported(book().with(file, ""), file, "mdBook copies this file");
    let file = "book/src/README.md";
    reported(book().with(file, "# R\n"), file, "links to README.md break");
}

// The shape of a chapter.

#[test]
fn a_chapter_without_its_goal_is_reported() {
    let goal = "**The goal of the chapter, in one sentence.**";
    let book = chapter(goal, "This chapter is about goals.");
    reported(book, CHAPTER, "does not open with its goal");
}

#[test]
fn a_missing_section_is_reported_each_time() {
    for name in crate::chapter::SECTIONS {
        let book = chapter(&format!("## {name}\n"), "## Other\n");
        reported(book, CHAPTER, &format!("no section \"{name}\""));
    }
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
        ("cargo learn check", "cargo test", "\"Exercise\" does not hold"),
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

#[test]
fn a_term_defined_twice_is_reported() {
    let book = chapter("A kernel is a listing too.", "Again **bold** words.");
    reported(book, CHAPTER, "\"bold\" was bold already");
}

#[test]
fn two_sentences_on_a_line_are_reported() {
    let book = chapter("listing too.", "listing too. So is a program.");
    reported(book, CHAPTER, "two sentences stand on one line");
}

// Colors.

#[test]
fn a_color_that_cannot_be_read_is_reported() {
    let book =
        book().edit(CSS, "--code-comment: #8b98a5", "--code-comment: #5c6773");
    reported(book, CSS, "#5c6773 on #191f26 (ayu) has the contrast 2.88");
}

#[test]
fn a_theme_without_a_color_is_reported() {
    let book = book().edit(CSS, "--fig-gpu: #155a2e;", "");
    reported(book, CSS, "the theme rust has no --fig-gpu");
}
