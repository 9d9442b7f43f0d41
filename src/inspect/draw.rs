//! Renders a tape as text for the terminal, as DOT for Graphviz, and as SVG
//! for the book or a file. Built in "A tensor that remembers".
//!
//! All renderings use the same symbols: a rounded box is a tensor, a circle is
//! an operation, a solid line is the forward pass, and a dashed line is the
//! backward pass.
//!
//! Reading order: `text`, and `text_within` for a terminal of limited
//! width (in `draw/table.rs`); `dot`; `svg` (in `draw/svg.rs`); `plot`
//! and `plot_loglog` for the curves in "Train the digits" and "Time it
//! honestly" (in `draw/plot.rs`); `slots` for the views in "Strides" (in
//! `draw/slots.rs`); `histograms` for the values of a training step (in
//! `draw/histogram.rs`); `save`.

mod histogram;
mod plot;
mod slots;
mod svg;
mod table;

pub use histogram::histograms;
pub use plot::{Color, Mark, Series, plot, plot_loglog};
pub use slots::{DrawnView, slots};
pub use svg::svg;
pub use table::{table, table_within};

use std::fs;
use std::path::Path;

use self::svg::{STANDALONE_STYLE, escape};
use crate::error::Error;
use crate::shape::list;
use crate::tape::{Record, Tape};

/// Returns the displayed name of a record: the user's name, or `%` and its
/// position.
fn label(tape: &Tape, at: usize) -> String {
    match &tape.records[at].name {
        Some(name) => name.clone(),
        None => format!("%{at}"),
    }
}

/// Returns the displayed names of a record's operands.
fn operands(tape: &Tape, record: &Record) -> Vec<String> {
    let known = |&id| tape.position(id).map(|at| label(tape, at));
    let ids = record.parents.iter();
    ids.map(|id| known(id).unwrap_or("?".to_string())).collect()
}

/// Returns the number of axes of the first operand.
fn rank(tape: &Tape, record: &Record) -> usize {
    let first = record.parents.first().and_then(|&id| tape.position(id));
    first.map_or(0, |at| tape.records[at].shape.len())
}

fn values(record: &Record) -> String {
    record.values.as_deref().map_or("not kept".to_string(), list)
}

/// Formats the tape as a table with one line per record, operands first. The
/// record at position `blamed` is marked.
pub fn text(tape: &Tape, blamed: Option<usize>) -> String {
    text_within(tape, blamed, usize::MAX)
}

/// Like [`text`], with cells wrapped so that no line is longer than `columns`.
pub fn text_within(
    tape: &Tape,
    blamed: Option<usize>,
    columns: usize,
) -> String {
    let row = |at: usize, record: &Record| {
        let made = match record.parents.is_empty() {
            true => record.op.to_string(),
            false => {
                let mut words = operands(tape, record);
                words.push(record.op.parameters(rank(tape, record)));
                words.retain(|word| !word.is_empty());
                format!("{}({})", record.op, words.join(", "))
            }
        };
        let grad = record.grad.as_deref().map_or("-".to_string(), list);
        let mark = if blamed == Some(at) { "  <-- here" } else { "" };
        let shape = format!("{:?}", record.shape);
        [label(tape, at), made, shape, values(record), grad + mark]
    };
    let head = ["tensor", "made by", "shape", "value", "gradient"];
    let mut rows = vec![head.map(str::to_string)];
    rows.extend(tape.records.iter().enumerate().map(|(at, r)| row(at, r)));
    table_within(&rows, columns)
}

/// Formats the graph in Graphviz's DOT language; render it with
/// `dot -Tsvg tape.dot`.
pub fn dot(tape: &Tape) -> String {
    let mut dot = String::from("digraph tape {\n  rankdir=LR;\n");
    for (at, record) in tape.records.iter().enumerate() {
        let mut text = format!("{}\\n{}", label(tape, at), values(record));
        if let Some(grad) = &record.grad {
            text += &format!("\\ngrad {}", list(grad));
        }
        let text = text.replace('"', "\\\"");
        dot +=
            &format!("  t{at} [shape=box, style=rounded, label=\"{text}\"];\n");
        if record.parents.is_empty() {
            continue;
        }
        dot += &format!("  o{at} [shape=circle, label=\"{}\"];\n", record.op);
        dot += &format!("  o{at} -> t{at};\n");
        for parent in record.parents.iter().filter_map(|&p| tape.position(p)) {
            dot += &format!("  t{parent} -> o{at};\n");
            if record.grad.is_some() {
                dot += &format!(
                    "  o{at} -> t{parent} [style=dashed, constraint=false];\n"
                );
            }
        }
    }
    dot + "}\n"
}

/// Returns the opening of an SVG picture with a monospace font. `name` is the
/// prefix of the title's id.
fn plain_head(name: &str, title: &str, [width, height]: [f64; 2]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{name}-title\" font-size=\"14\" \
         font-family=\"ui-monospace, monospace\" fill=\"currentColor\">\n\
         <title id=\"{name}-title\">{}</title>\n<style>{STANDALONE_STYLE}</style>\n",
        escape(title)
    )
}

/// Writes a picture to a file, and creates its folder if necessary.
pub fn save(path: &Path, picture: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let cannot = Error::io(
        path,
        "cannot be written",
        "free some space, or make the folder writable",
    );
    let folder = fs::create_dir_all(folder);
    folder.and_then(|()| fs::write(path, picture)).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Op;

    fn square() -> Tape {
        let leaf = Record::new(7, Op::Leaf, vec![], &[1], Some(vec![3.0]));
        let out = Record::new(9, Op::Mul, vec![7, 7], &[1], Some(vec![9.0]));
        let mut tape = Tape::new(vec![leaf, out]);
        tape.set_name(7, "x");
        tape.set_grads(7, vec![6.0], vec![]);
        tape
    }

    #[test]
    fn text_aligns_columns_and_marks_the_wrong_rule() {
        let expected = "\
tensor  made by    shape  value  gradient
x       leaf       [1]    [3]    [6]
%1      mul(x, x)  [1]    [9]    -  <-- here
";
        pretty_assertions::assert_eq!(text(&square(), Some(1)), expected);
    }

    #[test]
    fn dot_draws_each_use_and_dashed_gradients() {
        let expected = r#"digraph tape {
  rankdir=LR;
  t0 [shape=box, style=rounded, label="x\n[3]\ngrad [6]"];
  t1 [shape=box, style=rounded, label="%1\n[9]"];
  o1 [shape=circle, label="mul"];
  o1 -> t1;
  t0 -> o1;
  t0 -> o1;
}
"#;
        let mut tape = square();
        pretty_assertions::assert_eq!(dot(&tape), expected);
        tape.set_grads(9, vec![1.0], vec![]);
        let back = "  o1 -> t0 [style=dashed, constraint=false];\n";
        assert_eq!(dot(&tape).matches(back).count(), 2);
    }
}
