//! Figures are inline SVG, so that they follow the theme, scale, print, and
//! work with a screen reader.

use roxmltree::{Document, Node};

use crate::page::Page;
use crate::tree::{Fault, Tree, ending, fault};

/// The allowed colors in a figure, in addition to none. Every theme defines
/// them.
const COLORS: [&str; 4] =
    ["var(--fig-value", "var(--fig-grad", "var(--fig-cpu", "var(--fig-gpu"];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    tree.list("book/figures/", "").flat_map(|(f, t)| figure(f, t)).collect()
}

fn figure(file: &str, text: &str) -> Vec<Fault> {
    let name = file.rsplit('/').next().unwrap_or_default();
    let Some(name) = name.strip_suffix(".svg") else {
        return vec![fault(file, 1, "a figure is an .svg file. Draw it so.")];
    };
    let mut faults = Vec::new();
    for (number, line) in text.trim_end().lines().enumerate() {
        if line.trim().is_empty() {
            faults.push(fault(
                file,
                number + 1,
                "an empty line ends the figure for mdBook, and the rest \
                 becomes a code block. Remove it.",
            ));
        }
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = error.pos().row as usize;
            let what = format!("not well-formed XML: {error}. Repair it.");
            return vec![fault(file, line, what)];
        }
    };
    let line = |node: Node| document.text_pos_at(node.range().start).row;
    let mut say = |node, what: String| {
        faults.push(fault(file, line(node) as usize, what));
    };
    let svg = document.root_element();
    let title = svg.first_element_child().filter(|child| {
        child.has_tag_name(("http://www.w3.org/2000/svg", "title"))
    });
    let title = title.and_then(|title| title.text()).unwrap_or_default();
    // A tape from `rungrad::draw` is as wide as its columns.
    let is_tape = svg.attribute("class") == Some("tape");
    let view = svg.attribute("viewBox").unwrap_or_default();
    let width = view.strip_prefix("0 0 ").and_then(|it| it.split(' ').next());
    let width = width.and_then(|it| it.parse::<f64>().ok());
    for (is_right, what) in [
        (
            svg.attribute("role") == Some("img"),
            "the figure has no role. Write role=\"img\" on <svg>.",
        ),
        (
            !title.trim().is_empty(),
            "the figure does not begin with its name for those who cannot \
             see it. Make <title> the first child of <svg>.",
        ),
        (
            width.is_some_and(|it| is_tape || it == 680.0 || it <= 460.0),
            "the figure is neither 680 wide nor at most 460, which fits a \
             phone. Write viewBox=\"0 0 680 H\" or viewBox=\"0 0 460 H\".",
        ),
        (
            !svg.has_attribute("width") && !svg.has_attribute("height"),
            "a fixed width or height overflows small pages. Remove it.",
        ),
    ] {
        if !is_right {
            say(svg, what.into());
        }
    }
    let ids: Vec<&str> =
        document.descendants().filter_map(|n| n.attribute("id")).collect();
    for node in document.descendants().filter(Node::is_element) {
        for what in wrong_with(node, name, &ids) {
            say(node, what);
        }
    }
    faults
}

fn wrong_with(node: Node, name: &str, ids: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    let tag = node.tag_name().name();
    let reaches = tag == "style" && !is_for_a_file_alone(node);
    if reaches || matches!(tag, "script" | "image") {
        wrong.push(format!(
            "<{tag}> reaches beyond the figure. Use attributes and the classes \
             of theme/book.css."
        ));
    }
    for attribute in node.attributes() {
        let value = attribute.value();
        match attribute.name() {
            "id" if !value.starts_with(&format!("{name}-")) => {
                wrong.push(format!(
                    "the id `{value}` may meet another figure's on the print \
                     page. Call it `{name}-{value}`."
                ));
            }
            "fill" | "stroke" | "stop-color" | "style" if !is_themed(value) => {
                wrong.push(format!(
                    "`{value}` does not follow the theme. Use currentColor, \
                     none or a --fig variable."
                ));
            }
            _ => {}
        }
        let url = value.split_once("url(#").and_then(|it| it.1.split_once(')'));
        let targets = match attribute.name() {
            _ if url.is_some() => url.map(|(id, _)| id),
            "href" => value.strip_prefix('#').or(Some(value)),
            "aria-labelledby" | "aria-describedby" => Some(value),
            _ => None,
        };
        let targets = targets.unwrap_or_default().split_whitespace();
        wrong.extend(
            targets.filter(|id| !ids.contains(id)).map(|id| {
                format!("`{id}` is not an id of this figure. Add it.")
            }),
        );
    }
    wrong
}

fn is_themed(value: &str) -> bool {
    // How wide a line is, and how a figure folds on a phone.
    let is_size = |v: &str| {
        v.contains("-width:") || v.trim_start().starts_with("--fold-")
    };
    let only_sizes = value.split(';').all(is_size);
    only_sizes
        || matches!(
            value,
            "none" | "currentColor" | "inherit" | "context-stroke"
        )
        || value.starts_with("url(#")
        || COLORS.iter().any(|color| value.starts_with(color))
}

/// Checks that a figure is in a `<figure>` with a caption, with empty lines
/// around it and none inside.
pub(crate) fn placed(page: &Page) -> Vec<Fault> {
    let lines: Vec<(usize, &str)> = page.lines().collect();
    let line = |i: usize| lines.get(i).map_or("", |(_, line)| line.trim());
    let is_figure = |l: &str| l.contains("{{#") && l.contains(".svg");
    let is_open = |l: &str| l.starts_with("<figure") && l.ends_with('>');
    let mut faults = Vec::new();
    for (i, (at, text)) in lines.iter().enumerate() {
        if is_figure(text) {
            let end = (i..lines.len()).find(|i| line(*i) == "</figure>");
            let inside = i + 1..end.unwrap_or(i);
            let captioned =
                inside.clone().any(|i| line(i).starts_with("<figcaption>"));
            let whole = inside.clone().all(|i| !line(i).is_empty());
            let alone = i >= 2
                && is_open(line(i - 1))
                && line(i - 2).is_empty()
                && end.is_some_and(|end| line(end + 1).is_empty());
            if !(captioned && whole && alone) {
                faults.push(page.fault(
                    *at,
                    "a figure stands in its own block: an empty line, \
                     <figure>, the include, <figcaption>..</figcaption>, \
                     </figure>, an empty line, and none between.",
                ));
            }
        } else if ending(text.trim_end_matches("}}")) == "mml"
            && !(i > 0 && line(i - 1).is_empty() && line(i + 1).is_empty())
        {
            faults.push(page.fault(
                *at,
                "a formula stands alone. Put an empty line above and below \
                 its include.",
            ));
        }
    }
    for (at, line) in page.lines().filter(|(at, _)| page.is_typed(*at)) {
        for typed in ["<svg", "<math", "$$", "\\\\(", "\\\\["] {
            if line.contains(typed) {
                faults.push(page.fault(
                    at,
                    format!(
                        "`{typed}` is typed into the page. Figures live in \
                         book/figures, formulas in book/math."
                    ),
                ));
            }
        }
    }
    faults
}

/// Returns whether a style applies only to a separate SVG file.
fn is_for_a_file_alone(style: Node) -> bool {
    let text = style.text().unwrap_or_default();
    let mut openings: Vec<&str> = text.split('{').collect();
    openings.pop();
    openings.into_iter().all(|before| {
        let selector = before.rsplit(['}', ';']).next().unwrap_or(before);
        let selector = selector.trim();
        selector.starts_with('@') || selector.ends_with(":root")
    })
}
