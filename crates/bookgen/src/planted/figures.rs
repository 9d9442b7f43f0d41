//! Figures that mdBook breaks, a theme ignores, or nobody can read.

use super::{CHAPTER, CSS, FIGURE, assert_none, book, chapter, reported};
use crate::tree::Tree;

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
fn a_style_that_reaches_beyond_its_figure_is_reported() {
    let alone = "<style>@media print { .x:root { color: red } }</style>";
    let book = figure("</svg>", &format!("{alone}</svg>"));
    super::assert_none(&book);
    let wide = "<style>.x:root { color: red } .y { color: red }</style>";
    let book = figure("</svg>", &format!("{wide}</svg>"));
    reported(book, FIGURE, "<style> reaches beyond the figure");
}

#[test]
fn a_figure_shown_twice_is_reported() {
    let page = "# Introduction\n\n<figure>\n{{#include \
                ../figures/example.svg}}\n<figcaption>Again.</figcaption>\n\
                </figure>\n\nHello.\n";
    let book = book().with("book/src/introduction.md", page);
    reported(book, FIGURE, "two places show this figure");
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

/// Promise: A color with too little contrast in any theme is reported.
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

/// Promise: A live figure without its script, or a script without its figure,
/// is reported.
#[test]
fn a_figure_without_its_script_is_reported() {
    let book = || chapter("<figure>", "<figure data-figure=\"touched\">");
    let script = "book/src/live/touched.js";
    reported(book(), CHAPTER, "the figure `touched` has no script");
    assert_none(&book().with(script, "live.figure();\n"));
    let unused = super::book().with(script, "live.figure();\n");
    reported(unused, script, "no figure of a page has this name");
}
