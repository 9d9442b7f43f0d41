//! The TODO of a stub, which an answer must have replaced.

use crate::source::pieces;
use crate::verdict::{Outcome, Stop};

/// Rejects a text that still has its TODO. `place` is the file.
pub(crate) fn no_hole(id: &str, place: &str, text: &str) -> Outcome {
    let Some((line, rest)) = find(text, &format!("TODO({id})")) else {
        return Ok(());
    };
    // A kernel's comment ends with "*/", a Rust string with a quotation mark.
    let task = rest.trim_end_matches("*/").trim_end_matches('"').trim();
    Err(Stop::ToDo(format!("{place}:{line} still says {task}")))
}

/// Finds the TODO that begins with `words`. Returns its line, counted from 1,
/// and its text from the words on.
///
/// In a kernel, the TODO is a block comment that begins with the words; in
/// Rust it is `todo!("..")` with them. Other comments and strings may quote
/// it.
fn find<'a>(text: &'a str, words: &str) -> Option<(usize, &'a str)> {
    let pieces = pieces(text);
    let is_todo = |at: usize| {
        let before = pieces[..at].last_chunk::<3>();
        before.is_some_and(|it| it.map(|(_, it)| it) == ["todo", "!", "("])
    };
    pieces.iter().enumerate().find_map(|(at, &(line, piece))| {
        let rest = match piece.strip_prefix("/*") {
            Some(comment) => comment,
            None => piece.strip_prefix('"').filter(|_| is_todo(at))?,
        };
        let rest = rest.trim_start();
        rest.starts_with(words).then_some((line, rest))
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
        // rustfmt breaks long lines.
        assert_eq!(
            told("todo!(\n    \"TODO(x): it\"\n)"),
            "f:2 still says TODO(x): it"
        );
    }

    #[test]
    fn a_comment_or_a_string_may_quote_a_hole() {
        for text in [
            "//| todo!(\"TODO(x)\")",
            "// I had todo!(\"TODO(x): it\") here before",
            "/* I had todo!(\"TODO(x): it\") here before */",
            "// /* TODO(x): a guard */",
            "fn f() -> &'static str { \"todo!() TODO(x)\" }",
            "todo!(\"x\"); f(\"TODO(x)\")",
        ] {
            assert!(no_hole("x", "f", text).is_ok(), "{text}");
        }
    }
}
