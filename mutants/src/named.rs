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
/// Where a line has several such signs, and only one of them is meant, its column
/// says which: `src/base/graph.rs: 0 to 1 at 6`. Where a file has several such
/// lines, the function does: `src/base/graph.rs: 0 to 1 of push`.
///
/// `any` in the place of the change is every mutant of a part of the file, of
/// one that no machine of the tests can run: the code is the condition of the
/// preprocessor above it, `#if CORES`.
pub(crate) struct Named {
    file: String,
    change: String,
    /// The one at this column; every such sign of the line if it is `None`.
    column: Option<usize>,
    /// The one in this function; that of every function if it is `None`.
    function: Option<String>,
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
        let (change, function) = match change.rsplit_once(" of ") {
            Some((change, function)) => (change, Some(function.to_owned())),
            None => (change, None),
        };
        let placed = change
            .rsplit_once(" at ")
            .and_then(|(change, at)| Some((change, at.parse::<usize>().ok()?)));
        let (change, column) =
            placed.map_or((change, None), |(change, at)| (change, Some(at)));
        all.push(Named {
            file: file.to_owned(),
            change: change.to_owned(),
            column,
            function,
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
            false => {
                let Named { column, function, .. } = self;
                column.is_none_or(|it| it == mutant.column)
                    && function.iter().all(|it| mutant.within.contains(it))
                    && self.change == mutant.change
                    && self.code == mutant.code
            }
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
        let at = self.column.map(|at| format!(" at {at}"));
        let of = self.function.as_ref().map(|name| format!(" of {name}"));
        let [at, of] = [at, of].map(Option::unwrap_or_default);
        format!("{}: {}{at}{of} in {}", self.file, self.change, self.code)
    }

    /// A paragraph about a mutant, to be copied into a file.
    pub(crate) fn paragraph(mutant: &Mutant) -> String {
        let Mutant { file, change, code, .. } = mutant;
        format!("{file}: {change}\n    {code}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Form;

    fn named(name: &str, text: &str) -> Vec<Named> {
        let path = std::env::temp_dir().join(format!("rungrad_{name}.txt"));
        fs::write(&path, text).unwrap();
        read(&path).unwrap()
    }

    #[test]
    fn a_column_means_one_of_a_line() {
        let text = "fn f() {\n    let sum = a + b + c;\n}\n";
        let mutants = text.match_indices('+').map(|(at, _)| {
            let (after, change) = ("-".into(), "+ to -".into());
            let form = Form::Expression;
            Mutant::new(("f.rs", text), form, at..at + 1, after, at, change)
        });
        let mutants: Vec<Mutant> = mutants.collect();
        let all = named(
            "one_of_a_line",
            "f.rs: + to -\n    let sum = a + b + c;\n    Why.\n\n\
             f.rs: + to - at 21\n    let sum = a + b + c;\n    Why.\n",
        );
        let of = |it: &Named| mutants.iter().map(|m| it.is(m)).collect();
        let meant: Vec<Vec<bool>> = all.iter().map(of).collect();
        assert_eq!(meant, [[true, true], [false, true]]);
        assert_eq!(
            all[1].sentence(),
            "f.rs: + to - at 21 in let sum = a + b + c;"
        );
    }
    #[test]
    fn a_function_means_one_of_two_lines_that_are_alike() {
        let text = "fn f() {\n    g(0);\n}\nfn h() {\n    g(0);\n}\n";
        let mutants = crate::rust::mutants("f.rs", text).unwrap();
        let mutants = mutants.iter().filter(|it| it.change == "0 to 1");
        let all = named("one_of_two_lines", "f.rs: 0 to 1 of h\n    g(0);\n");
        let meant: Vec<bool> = mutants.map(|it| all[0].is(it)).collect();
        assert_eq!(meant, [false, true]);
        assert_eq!(all[0].sentence(), "f.rs: 0 to 1 of h in g(0);");
    }
}
