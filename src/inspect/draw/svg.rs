//! Draws a tape as SVG, from top to bottom, so that it fits a narrow page.
//!
//! The colors come from the page (`currentColor` and the variables
//! `--fig-value` and `--fig-grad`), with defaults for a standalone file. Each
//! forward and backward step is a group `data-step="n"` with a sentence as its
//! title, so that the book can animate the steps; without a script, all are
//! visible. A partial gradient is hidden by default; `data-until` is the step
//! that replaces it.

mod sentences;

use std::collections::HashMap;
use std::fmt::Write;

use super::label;
use crate::shape::list;
use crate::tape::{Record, Tape};

use sentences::{backward, forward, seed};

const BOX: (f64, f64) = (126.0, 64.0);
/// The distances between boxes, sideways and down.
const LANE: f64 = 150.0;
const ROW: f64 = 160.0;
const RADIUS: f64 = 17.0;
/// The distance from the top edge of a box to the center of its circle.
const CIRCLE: f64 = 38.0;
const MARGIN: f64 = 14.0;
/// The distance from the center of a circle to its name, if the name is
/// outside.
const NAME: f64 = RADIUS + 5.0;
/// The widths of the longest name and of the label of a wrong rule.
const NAME_WIDTH: f64 = 84.0;
const BLAME_WIDTH: f64 = 126.0;
/// The minimum scale at which the numbers are readable; on a narrower page,
/// the picture scrolls.
const MIN_SCALE: f64 = 0.75;

/// The position of each record.
struct Layout {
    /// The row and lane of each record.
    places: Vec<(usize, usize)>,
    rows: usize,
    lanes: usize,
}

impl Layout {
    /// Places each record one row below its lowest operand. Until its last
    /// consumer, a record occupies its lane alone, so that no line crosses a
    /// box.
    fn new(tape: &Tape, parents: &[Vec<usize>]) -> Layout {
        let count = tape.records.len();
        let mut row = vec![0; count];
        let mut until = vec![0; count];
        for at in 0..count {
            let after = parents[at].iter().map(|&p| row[p] + 1).max();
            row[at] = after.unwrap_or(0);
            until[at] = row[at];
            for &p in &parents[at] {
                until[p] = until[p].max(row[at] - 1);
            }
        }
        let mut taken: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        let mut places = Vec::new();
        for (at, parents) in parents.iter().enumerate() {
            let wanted = parents.first().map_or(0, |&p| {
                let (_, lane): (usize, usize) = places[p];
                lane
            });
            let (from, to) = (row[at], until[at]);
            let is_free = |lane: &usize| {
                let spans = taken.get(lane).map_or(&[][..], |v| v);
                spans.iter().all(|&(a, b)| to < a || b < from)
            };
            let lane = (wanted..).find(is_free).expect("lanes are endless");
            taken.entry(lane).or_default().push((from, to));
            places.push((from, lane));
        }
        let rows = places.iter().map(|p| p.0 + 1).max().unwrap_or(1);
        let lanes = places.iter().map(|p| p.1 + 1).max().unwrap_or(1);
        Layout { places, rows, lanes }
    }

    /// Returns the middle of the top edge of a box.
    fn top(&self, at: usize) -> (f64, f64) {
        let (row, lane) = self.places[at];
        let x = MARGIN + BOX.0 / 2.0 + lane as f64 * LANE;
        (x, MARGIN + row as f64 * ROW)
    }
}

/// Draws the tape as SVG. `name` is the prefix of every id, because a page may
/// contain several pictures. Screen readers read `title`. The record at
/// position `blamed` gets a thick frame and a label.
pub fn svg(
    tape: &Tape,
    name: &str,
    title: &str,
    blamed: Option<usize>,
) -> String {
    let parents: Vec<Vec<usize>> = tape
        .records
        .iter()
        .map(|r| r.parents.iter().filter_map(|&p| tape.position(p)).collect())
        .collect();
    let layout = Layout::new(tape, &parents);
    let label = if blamed.is_some() { BLAME_WIDTH } else { NAME_WIDTH };
    let last = (layout.lanes - 1) as f64 * LANE + MARGIN + BOX.0 / 2.0;
    let width = last + NAME + label;
    let height = (layout.rows - 1) as f64 * ROW + BOX.1 + 2.0 * MARGIN;
    let mut page = Page { svg: String::new(), name };
    page.open(width, height, title);
    let made: Vec<usize> =
        (0..tape.records.len()).filter(|&at| !parents[at].is_empty()).collect();

    page.step(0, "The leaves hold data.");
    for at in (0..tape.records.len()).filter(|&at| parents[at].is_empty()) {
        page.tensor(tape, &layout, at);
    }
    page.close();
    let mut step = 0;
    for &at in &made {
        step += 1;
        page.step(step, &forward(tape, at));
        let (x, y) = layout.top(at);
        for (place, &parent) in parents[at].iter().enumerate() {
            let end = port((x, y), place, parents[at].len());
            page.wire(layout.top(parent), end, Direction::Forward);
        }
        page.line((x - 5.0, y - CIRCLE + RADIUS), (x - 5.0, y - 2.0));
        page.circle(x, y - CIRCLE, tape.records[at].op.name());
        page.tensor(tape, &layout, at);
        page.close();
    }
    if tape.records.last().is_some_and(|root| root.grad.is_some()) {
        step += 1;
        let root = tape.records.len() - 1;
        page.step(step, &seed(tape, root));
        page.gradient(tape, &layout, root);
        page.close();
    }
    // A gradient is complete when its last consumer has contributed to it.
    let given_back = |at: &usize| tape.records[*at].grad.is_some();
    let sweep: Vec<usize> =
        made.iter().rev().copied().filter(given_back).collect();
    let mut sums = HashMap::new();
    for (turn, &at) in sweep.iter().enumerate() {
        step += 1;
        page.step(step, &backward(tape, at));
        let top = layout.top(at);
        page.back(top);
        for (place, &parent) in parents[at].iter().enumerate() {
            if tape.records[parent].grad.is_none() {
                continue;
            }
            let end = port(top, place, parents[at].len());
            page.wire(layout.top(parent), end, Direction::Backward);
            add(&mut sums, parent, &tape.records[at], place);
            if parents[at][place + 1..].contains(&parent) {
                continue;
            }
            let uses = |later: &usize| parents[*later].contains(&parent);
            match sweep[turn + 1..].iter().position(uses) {
                None => page.gradient(tape, &layout, parent),
                Some(wait) => {
                    let sum = sums.get(&parent).map_or(&[][..], |sum| sum);
                    page.part(sum, layout.top(parent), step + 1 + wait);
                }
            }
        }
        page.close();
    }
    if let Some(at) = blamed {
        page.blame(layout.top(at));
    }
    page.svg + "</svg>\n"
}

/// Adds the gradient that a rule computed for one operand to the operand's
/// sum.
fn add(
    sums: &mut HashMap<usize, Vec<f32>>,
    parent: usize,
    record: &Record,
    place: usize,
) {
    let Some(Some((_, given))) = record.parent_grads.get(place) else { return };
    let sum = sums.entry(parent).or_insert_with(|| vec![0.0; given.len()]);
    sum.iter_mut().zip(given).for_each(|(sum, part)| *sum += part);
}

/// Returns the point where the line of an operand meets the circle. Several
/// operands are spread horizontally.
fn port((x, y): (f64, f64), place: usize, count: usize) -> (f64, f64) {
    let spread = (place as f64 - (count as f64 - 1.0) / 2.0) * 14.0;
    (x + spread, y - CIRCLE - (RADIUS * RADIUS - spread * spread).sqrt())
}

/// The direction of a line.
enum Direction {
    Forward,
    Backward,
}

struct Page<'a> {
    svg: String,
    name: &'a str,
}

impl Page<'_> {
    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.svg, "{line}").expect("a String takes every line");
    }

    fn open(&mut self, width: f64, height: f64, title: &str) {
        let name = self.name;
        let title = escape(title);
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tape\" \
             viewBox=\"0 0 {width} {height}\" \
             style=\"min-width: {}px; max-width: {width}px\" role=\"img\" \
             aria-labelledby=\"{name}-title\" font-size=\"14\" \
             font-family=\"ui-monospace, monospace\" text-anchor=\"middle\">",
            width * MIN_SCALE
        ));
        self.put(format_args!("<title id=\"{name}-title\">{title}</title>"));
        self.put(format_args!("<style>{STANDALONE_STYLE}</style>"));
        self.put(format_args!("<defs>"));
        for (id, color) in [("value", VALUE), ("grad", GRAD)] {
            self.put(format_args!(
                "<marker id=\"{name}-{id}\" viewBox=\"0 0 8 8\" refX=\"7\" \
                 refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" \
                 orient=\"auto-start-reverse\"><path d=\"M0 0 8 4 0 8z\" \
                 fill=\"{color}\"/></marker>"
            ));
        }
        self.put(format_args!("</defs>"));
    }

    fn step(&mut self, step: usize, sentence: &str) {
        let sentence = escape(sentence);
        self.put(format_args!(
            "<g data-step=\"{step}\"><title>{sentence}</title>"
        ));
    }

    fn close(&mut self) {
        self.put(format_args!("</g>"));
    }

    /// Draws the box of a tensor, with its name and values.
    fn tensor(&mut self, tape: &Tape, layout: &Layout, at: usize) {
        let (x, y) = layout.top(at);
        let (w, h) = BOX;
        let label = escape(&label(tape, at));
        let values = tape.records[at].values.as_deref();
        let value = values.map_or("not kept".to_string(), rounded);
        let value = escape(&truncated(&value));
        self.put(format_args!(
            "<rect x=\"{}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"10\" \
             fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>",
            x - w / 2.0
        ));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{}\" fill=\"currentColor\" \
             font-weight=\"bold\">{label}</text>",
            y + 19.0
        ));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{}\" fill=\"{VALUE}\">{value}</text>",
            y + 37.0
        ));
    }

    /// Draws the third line of a box: its gradient.
    fn gradient(&mut self, tape: &Tape, layout: &Layout, at: usize) {
        let Some(grad) = &tape.records[at].grad else { return };
        let (x, y) = layout.top(at);
        let text = escape(&truncated(&format!("\u{2207} {}", rounded(grad))));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{}\" fill=\"{GRAD}\">{text}</text>",
            y + 55.0
        ));
    }

    /// Draws the partial gradient of a box. It is only visible when the steps
    /// are animated, until step `until` adds to it.
    fn part(&mut self, sum: &[f32], (x, y): (f64, f64), until: usize) {
        let text = escape(&truncated(&format!("\u{2207} {} +", rounded(sum))));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{}\" fill=\"{GRAD}\" display=\"none\" \
             data-until=\"{until}\">{text}</text>",
            y + 55.0
        ));
    }

    fn circle(&mut self, x: f64, y: f64, op: &str) {
        let sign = match op {
            "mul" => "\u{d7}",
            "add" => "+",
            "sum" => "\u{3a3}",
            other => other,
        };
        // A name that does not fit into the circle is on its right.
        let (size, x_text, anchor) = match sign.chars().count() {
            0..=3 => (14, x, "middle"),
            4 => (11, x, "middle"),
            _ => (11, x + NAME, "start"),
        };
        self.put(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\" fill=\"none\" \
             stroke=\"currentColor\" stroke-width=\"1.5\"/>"
        ));
        self.put(format_args!(
            "<text x=\"{x_text}\" y=\"{}\" font-size=\"{size}\" \
             text-anchor=\"{anchor}\" fill=\"currentColor\">{}</text>",
            y + 5.0,
            escape(sign)
        ));
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let name = self.name;
        self.put(format_args!(
            "<path d=\"M{} {} L{} {}\" fill=\"none\" stroke=\"{VALUE}\" \
             stroke-width=\"1.5\" marker-end=\"url(#{name}-value)\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Draws the arrow from the gradient of a result to the circle of its
    /// operation.
    fn back(&mut self, (x, y): (f64, f64)) {
        let name = self.name;
        self.put(format_args!(
            "<path d=\"M{} {} V{}\" fill=\"none\" stroke=\"{GRAD}\" \
             stroke-width=\"1.5\" stroke-dasharray=\"5 4\" \
             marker-end=\"url(#{name}-grad)\"/>",
            x + 8.0,
            y - 2.0,
            y - CIRCLE + RADIUS - 1.0
        ));
    }

    /// Draws the line from the box of an operand to the circle of its
    /// consumer: along the operand's lane, and then across to the circle. The
    /// backward line is drawn slightly further right.
    fn wire(&mut self, top: (f64, f64), end: (f64, f64), way: Direction) {
        let name = self.name;
        let (shift, ink, extra) = match way {
            Direction::Forward => (-5.0, VALUE, "marker-end"),
            Direction::Backward => (13.0, GRAD, "marker-start"),
        };
        let id = match way {
            Direction::Forward => "value",
            Direction::Backward => "grad",
        };
        let dash = match way {
            Direction::Forward => "",
            Direction::Backward => " stroke-dasharray=\"5 4\"",
        };
        let (x, y) = (top.0 + shift, top.1 + BOX.1 + 2.0);
        let (ex, ey) = match way {
            Direction::Forward => (end.0, end.1 - 1.0),
            Direction::Backward => (end.0 + 7.0, end.1 - 1.0),
        };
        // The line begins straight, which gives its arrowhead a direction.
        let turn = (y + 4.0).max(ey - 46.0);
        let half = (turn + ey) / 2.0;
        self.put(format_args!(
            "<path d=\"M{x:.1} {y:.1} V{turn:.1} C{x:.1} {half:.1} {ex:.1} \
             {half:.1} {ex:.1} {ey:.1}\" fill=\"none\" stroke=\"{ink}\" \
             stroke-width=\"1.5\"{dash} {extra}=\"url(#{name}-{id})\"/>"
        ));
    }

    fn blame(&mut self, (x, y): (f64, f64)) {
        let (w, h) = (BOX.0 + 10.0, BOX.1 + 10.0);
        self.put(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{w}\" height=\"{h}\" rx=\"13\" \
             fill=\"none\" stroke=\"{GRAD}\" stroke-width=\"4\"/>",
            x - w / 2.0,
            y - 5.0
        ));
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\" fill=\"{GRAD}\" font-size=\"13\" \
             text-anchor=\"start\" font-weight=\"bold\">first wrong rule</text>",
            x + 20.0,
            y - 11.0
        ));
    }
}

/// A standalone SVG file follows the reader's color theme. In a page, the
/// picture is not the root element, and the page sets the colors.
pub(super) const STANDALONE_STYLE: &str = "@media (prefers-color-scheme: dark) { svg:root { \
    color: #dcdcdc; background: #16181d; --fig-value: #7fb8ff; \
    --fig-grad: #ff9a8d; --fig-cpu: #e6b450; --fig-gpu: #7fd18b } }";

pub(super) const VALUE: &str = "var(--fig-value, #1a5fb4)";
pub(super) const GRAD: &str = "var(--fig-grad, #b3261e)";
pub(super) const CPU: &str = "var(--fig-cpu, #7a4a00)";
pub(super) const GPU: &str = "var(--fig-gpu, #1a6b38)";

/// Formats values with four significant digits.
fn rounded(values: &[f32]) -> String {
    let round = |v: &f32| format!("{v:.3e}").parse().unwrap_or(*v);
    list(&values.iter().map(round).collect::<Vec<f32>>())
}

/// Truncates a text so that it fits into a box.
fn truncated(text: &str) -> String {
    match text.chars().count() {
        0..=14 => text.to_string(),
        _ => text.chars().take(12).chain("..".chars()).collect(),
    }
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
