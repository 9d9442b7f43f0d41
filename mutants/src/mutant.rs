//! One small fault, and the place where it is planted.

use std::ops::Range;

/// How a mutant is written into the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// One expression or another.
    Expression,
    /// A statement, or none.
    Statement,
    /// OpenCL C: the text is another one when the driver gets it.
    Kernel,
}

/// A fault in a file.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) file: String,
    pub(crate) form: Form,
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// What they are replaced by.
    pub(crate) after: String,
    /// The byte at which the two texts begin to differ in meaning: the
    /// operator, the literal, the name.
    pub(crate) at: usize,
    /// `< to <=`, in words that find it again.
    pub(crate) change: String,
    /// The line of `at`, from 1, and its column.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// That line without its indent; of a statement all lines, as one.
    pub(crate) code: String,
    /// The functions around it, or the conditions of the preprocessor, `#if
    /// CORES`.
    pub(crate) within: Vec<String>,
}

impl Mutant {
    /// The mutant of `text` that replaces `range` by `after`.
    pub(crate) fn new(
        (file, text): (&str, &str),
        form: Form,
        range: Range<usize>,
        after: String,
        at: usize,
        change: String,
    ) -> Mutant {
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let code = match form {
            Form::Statement => &text[range.clone()],
            _ => text[start..].lines().next().unwrap_or_default(),
        };
        let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
        Mutant {
            file: file.to_owned(),
            form,
            range,
            after,
            at,
            change,
            line: before.matches('\n').count() + 1,
            column: at - start + 1,
            code,
            within: Vec::new(),
        }
    }

    /// `src/base/graph.rs:12:7`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    /// `src/base/graph.rs:12:7: < to <=`, which is what `--one` takes.
    pub(crate) fn name(&self) -> String {
        format!("{}: {}", self.place(), self.change)
    }

    /// The lines that change, before and after.
    pub(crate) fn diff(&self, text: &str) -> String {
        let Range { start, end } = self.range;
        let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let marked = |sign: &str, text: &str| {
            let lines = text.lines().map(|line| format!("{sign} {line}\n"));
            lines.collect::<String>()
        };
        let planted = [&text[from..start], self.after.as_str(), &text[end..to]];
        marked("-", &text[from..to]) + &marked("+", &planted.concat())
    }
}
