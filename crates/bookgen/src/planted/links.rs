//! Ways that lead nowhere, or to the network.

use super::{CHAPTER, CSS, PLANTED, SUMMARY, book, chapter, reported};
use crate::guards::faults;

/// Promise: A link to a missing page is reported.
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

/// Promise: A page that loads anything from the network is reported.
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
    let figure = book().with("book/src/live/figure.js", script);
    reported(figure, "book/src/live/figure.js:1: ", "this names another host");
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
    let book = book().edit(SUMMARY, "[Draft]()", "[Draft](gone.md)");
    reported(book, SUMMARY, "`book/src/gone.md` does not exist");
}

/// Promise: A page that is missing from the table of contents is reported.
#[test]
fn a_page_that_mdbook_would_drop_is_reported() {
    let title = "# More\n\n[Glossary]";
    let book = book().edit(SUMMARY, "[Glossary]", title);
    reported(book, SUMMARY, "mdBook drops a page below a title");
}

#[test]
fn two_titles_of_one_chapter_are_reported() {
    let book = chapter("# The title, as in SUMMARY.md", "# Another title");
    reported(book, "book/src/SUMMARY.md:11: ", "itself \"Another title\"");
}

#[test]
fn a_file_that_mdbook_would_copy_is_reported() {
    let file = "book/src/notes.txt";
    reported(book().with(file, ""), file, "mdBook copies this file");
    let file = "book/src/README.md";
    reported(book().with(file, "# R\n"), file, "links to README.md break");
}
