//! A solution, from which the stub is made.
//!
//! The solution file is the single source. The learner's part is in holes, and
//! each hole contains the lines that replace it in the stub.
//!
//! ```text
//!     // HOLE
//!     //| todo!("TODO(id): what to write")
//!     the answer
//!     // END HOLE
//! ```
//!
//! The stub contains the `//|` lines, without that mark, in place of the hole.
//! The plain solution contains the answer. Rust and OpenCL C have the same
//! comment syntax.

use std::fs;

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::course::Exercise;
use crate::exercises::variant::Again;
use crate::exercises::{answers, levels};

const HOLE: &str = "// HOLE";
const END: &str = "// END HOLE";
const STUB: &str = "//|";

/// The stub that a learner starts from, and the plain solution.
#[derive(Debug, PartialEq, Eq)]
pub struct SolutionFile {
    pub stub: String,
    pub plain: String,
}

impl SolutionFile {
    /// Reads the solution of an exercise.
    pub fn read(
        checkout: &Checkout,
        exercise: &Exercise,
    ) -> Result<SolutionFile, Stop> {
        let (text, wrong) = read(checkout, exercise)?;
        if exercise.free {
            return Ok(SolutionFile { stub: text.clone(), plain: text });
        }
        if exercise.has_levels() {
            let at_level =
                |level| SolutionFile::at_level(checkout, exercise, level);
            let last = exercise.levels.len();
            return Ok(SolutionFile {
                stub: at_level(0)?,
                plain: at_level(last)?,
            });
        }
        SolutionFile::parse(&text).map_err(wrong)
    }

    /// Reads our solution of an exercise with levels, after `level` and before
    /// the next one.
    pub fn at_level(
        checkout: &Checkout,
        exercise: &Exercise,
        level: usize,
    ) -> Result<String, Stop> {
        let (text, wrong) = read(checkout, exercise)?;
        levels::solution_at(&text, level).map_err(wrong)
    }

    /// Makes the solution of a variant.
    pub fn variant(
        checkout: &Checkout,
        exercise: &Exercise,
        again: &Again,
        seed: usize,
    ) -> Result<SolutionFile, Stop> {
        let (text, wrong) = read(checkout, exercise)?;
        let text = again.solution(&exercise.id, &text, seed);
        text.and_then(|it| SolutionFile::parse(&it)).map_err(wrong)
    }

    /// Splits the text of a solution. An error names the line.
    pub fn parse(text: &str) -> Result<SolutionFile, String> {
        let mut stub = String::new();
        let mut hole = None;
        let mut holes = 0;
        for (at, line) in text.lines().enumerate() {
            let number = at + 1;
            match (line.trim(), hole) {
                (HOLE, None) => {
                    hole = Some(number);
                    holes += 1;
                }
                (HOLE, Some(open)) => {
                    return Err(format!(
                        "line {number}: a hole inside the one of line {open}"
                    ));
                }
                (END, Some(_)) => hole = None,
                (END, None) => {
                    return Err(format!("line {number}: no hole is open"));
                }
                (words, Some(_)) if words.starts_with(STUB) => {
                    let indent = &line[..line.len() - line.trim_start().len()];
                    let words = &words[STUB.len()..];
                    let words = words.strip_prefix(' ').unwrap_or(words);
                    let new = format!("{indent}{words}");
                    push(&mut stub, new.trim_end());
                }
                (_, Some(_)) => {}
                (_, None) => push(&mut stub, line),
            }
        }
        match hole {
            Some(open) => Err(format!("line {open}: the hole never ends")),
            None if holes == 0 => Err(format!("there is no {HOLE}")),
            None => Ok(SolutionFile { stub, plain: answers::plain(text) }),
        }
    }
}

/// Reads the solution file of an exercise. Also returns a function that makes
/// an error about this file.
fn read(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Result<(String, impl Fn(String) -> Stop), Stop> {
    let file = checkout.root.join("exercises/solutions").join(&exercise.file);
    let place = checkout.shown(&file);
    let wrong = move |why: String| Stop::Failed(format!("{place}: {why}"));
    match fs::read_to_string(&file) {
        Ok(text) => Ok((text, wrong)),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &str = "fn f() -> i32 {
    // HOLE
    //| // Six times seven.
    //|
    //| todo!(\"TODO(f)\")
    6 * 7
    // END HOLE
}
";

    #[test]
    fn a_stub_replaces_the_answer() {
        let solution = SolutionFile::parse(SOLUTION).unwrap();
        let stub = "fn f() -> i32 {
    // Six times seven.

    todo!(\"TODO(f)\")
}
";
        assert_eq!(solution.stub, stub);
        assert_eq!(solution.plain, "fn f() -> i32 {\n    6 * 7\n}\n");
    }

    #[test]
    fn an_invalid_hole_is_rejected_with_its_line() {
        let error = |text: &str| SolutionFile::parse(text).unwrap_err();
        assert!(error("fn f() {}\n").contains("no // HOLE"));
        assert!(error("a\n// HOLE\n").starts_with("line 2"));
        assert!(error("// END HOLE\n").starts_with("line 1"));
        assert!(error("// HOLE\n// HOLE\n").starts_with("line 2"));
    }
}
