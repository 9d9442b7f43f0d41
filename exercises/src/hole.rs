//! The hole in a stub, which nobody may leave there.

use crate::verdict::{Outcome, Stop};

/// Tells whether no hole is left in the text of the file at `place`.
pub(crate) fn no_hole(id: &str, place: &str, text: &str) -> Outcome {
    let Some((line, rest)) = find(text, &format!("TODO({id})")) else {
        return Ok(());
    };
    // A comment in OpenCL C ends so, and a `todo!` in Rust.
    let task = rest.split("*/").next().unwrap_or_default();
    let task = task.split("\")").next().unwrap_or_default().trim();
    Err(Stop::ToDo(format!("{place}:{line} still says {task}")))
}

/// Finds the line, counted from 1, that holds `words`, from the words on. A
/// line of the stub in one of our solutions is no hole.
fn find<'a>(text: &'a str, words: &str) -> Option<(usize, &'a str)> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//|"));
    lines.find_map(|(at, line)| {
        let start = line.find(words)?;
        Some((at + 1, &line[start..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_told_with_its_line_and_its_task() {
        let told = |text| match no_hole("x", "f", text) {
            Err(Stop::ToDo(words)) => words,
            other => format!("{other:?}"),
        };
        assert_eq!(
            told("kernel\n  /* TODO(x): a guard */\n"),
            "f:2 still says TODO(x): a guard"
        );
        assert_eq!(
            told("    todo!(\"TODO(x): f(a) * b\")\n"),
            "f:1 still says TODO(x): f(a) * b"
        );
        assert!(no_hole("y", "f", "/* TODO(x): a guard */").is_ok());
        assert!(no_hole("x", "f", "//| todo!(\"TODO(x)\")").is_ok());
    }
}
