//! Figures are inline SVG: they follow the theme, scale, print, and are read
//! aloud.

use roxmltree::{Document, Node};

use crate::page::Page;
use crate::tree::{Fault, Tree, ending, fault};

/// Inside a figure a color is one of these, or none: every theme sets them.
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
    if svg.attribute("role") != Some("img") {
        say(svg, "the figure has no role. Write role=\"img\" on <svg>.".into());
    }
    let title = svg.first_element_child();
    let title = title
        .filter(|t| t.has_tag_name(("http://www.w3.org/2000/svg", "title")));
    if title.and_then(|t| t.text()).is_none_or(|t| t.trim().is_empty()) {
        say(
            svg,
            "the figure does not begin with its name for those who cannot \
             see it. Make <title> the first child of <svg>."
                .into(),
        );
    }
    // A tape that `rungrad::draw` made is as wide as its columns.
    let is_tape = svg.attribute("class") == Some("tape");
    let origin = if is_tape { "0 0 " } else { "0 0 680 " };
    if !svg.attribute("viewBox").is_some_and(|v| v.starts_with(origin)) {
        say(
            svg,
            "the figure is not 680 wide. Write viewBox=\"0 0 680 H\".".into(),
        );
    }
    for fixed in ["width", "height"] {
        if svg.has_attribute(fixed) {
            say(
                svg,
                format!("a fixed {fixed} overflows small pages. Remove it."),
            );
        }
    }
    let ids: Vec<&str> =
        document.descendants().filter_map(|n| n.attribute("id")).collect();
    for node in document.descendants().filter(Node::is_element) {
        let tag = node.tag_name().name();
        let reaches = tag == "style" && !is_for_a_file_alone(node);
        if reaches || matches!(tag, "script" | "image") {
            say(
                node,
                format!(
                    "<{}> reaches beyond the figure. Use attributes and the \
                     classes of theme/book.css.",
                    tag
                ),
            );
        }
        for attribute in node.attributes() {
            let value = attribute.value();
            match attribute.name() {
                "id" if !value.starts_with(&format!("{name}-")) => say(
                    node,
                    format!(
                        "the id `{value}` may meet another figure's on the \
                         print page. Call it `{name}-{value}`."
                    ),
                ),
                "fill" | "stroke" | "stop-color" | "style"
                    if !is_themed(value) =>
                {
                    say(
                        node,
                        format!(
                            "`{value}` does not follow the theme. Use \
                             currentColor, none or a --fig variable."
                        ),
                    );
                }
                _ => {}
            }
            let target = value
                .split_once("url(#")
                .and_then(|(_, rest)| rest.split_once(')'))
                .map(|(id, _)| id)
                .or(match attribute.name() {
                    "href" => value.strip_prefix('#').or(Some(value)),
                    "aria-labelledby" | "aria-describedby" => Some(value),
                    _ => None,
                });
            for id in target.unwrap_or_default().split_whitespace() {
                if !ids.contains(&id) {
                    say(
                        node,
                        format!("`{id}` is not an id of this figure. Add it."),
                    );
                }
            }
        }
    }
    faults
}

fn is_themed(value: &str) -> bool {
    let is_width = |v: &str| v.trim_start().split_once("-width:").is_some();
    let only_widths = value.split(';').all(is_width);
    only_widths
        || matches!(
            value,
            "none" | "currentColor" | "inherit" | "context-stroke"
        )
        || value.starts_with("url(#")
        || COLORS.iter().any(|color| value.starts_with(color))
}

/// In a page a figure stands in `<figure>` with a caption, empty lines around
/// it and none inside.
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

/// Whether a style speaks of the root alone: inside a page an SVG is none.
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
