//! Mutants that a committed file names: those that are always planted, and
//! those that survive for a reason.

use std::fs;
use std::path::Path;

use crate::mutant::Mutant;

/// A paragraph of such a file. It says the code and not the line's number,
/// so it holds while other lines come and go:
///
/// ```text
/// src/base/graph.rs: < to <=
///     if depth < limit {
///     Why.
/// ```
///
/// `any` in the place of the change is every mutant of a part of the file, of
/// one that no machine of the tests can run: the code is the condition of the
/// preprocessor above it, `#if CORES`.
pub(crate) struct Named {
    file: String,
    change: String,
    code: String,
    why: String,
}

/// The paragraphs of a file, none if it is not there.
pub(crate) fn read(path: &Path) -> Result<Vec<Named>, String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut all: Vec<Named> = Vec::new();
    for paragraph in text.split("\n\n") {
        let lines = paragraph.lines().map(str::trim);
        let lines: Vec<&str> = lines
            .filter(|it| !it.is_empty() && !it.starts_with("# "))
            .collect();
        let [head, code, why @ ..] = &lines[..] else {
            if lines.is_empty() {
                continue;
            }
            return Err(format!(
                "{}: {:?} is no `FILE: CHANGE` with a line of code below it.",
                path.display(),
                lines.join(" ")
            ));
        };
        let (file, change) = head.split_once(": ").ok_or_else(|| {
            format!("{}: {head:?} is no `FILE: CHANGE`.", path.display())
        })?;
        all.push(Named {
            file: file.to_owned(),
            change: change.to_owned(),
            code: code.to_string(),
            why: why.join(" "),
        });
    }
    Ok(all)
}

impl Named {
    pub(crate) fn is(&self, mutant: &Mutant) -> bool {
        let same = match self.is_of_a_part() {
            true => mutant.within.contains(&self.code),
            false => self.change == mutant.change && self.code == mutant.code,
        };
        self.file == mutant.file && same
    }

    /// Says whether it is about every mutant of a part of its file.
    pub(crate) fn is_of_a_part(&self) -> bool {
        self.change == "any"
    }

    pub(crate) fn why(&self) -> &str {
        &self.why
    }

    /// `src/base/graph.rs: < to <= in if depth < limit {`.
    pub(crate) fn sentence(&self) -> String {
        format!("{}: {} in {}", self.file, self.change, self.code)
    }

    /// A paragraph about a mutant, to be copied into a file.
    pub(crate) fn paragraph(mutant: &Mutant) -> String {
        let Mutant { file, change, code, .. } = mutant;
        format!("{file}: {change}\n    {code}\n")
    }
}
