//! Checks the reader's error messages. The wording is free, but a message must
//! name the operation, the shapes and the numbers that ours names. From the
//! level at which the book introduces it, the panic must point to the caller's
//! line instead of one inside the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::broken;
use crate::mine::{BROADCAST, has_reached};
use crate::reader_file;

/// Returns the message with which `work` is rejected; `what` names the call.
#[track_caller]
pub(crate) fn refusal<T>(what: &str, work: impl FnOnce() -> T) -> String {
    if catch_unwind(AssertUnwindSafe(|| drop(work()))).is_ok() {
        panic!("{what} should have panicked, but it returned");
    }
    let panic = broken::last_panic();
    if has_reached(BROADCAST) && panic.file == reader_file() {
        panic!(
            "{what} is rejected at line {} of your file, inside the engine, \
             but the panic should point to the line of the caller. Write \
             #[track_caller] above that function and above each of your \
             functions between it and the caller. A closure cannot have the \
             attribute: if the panic is inside one, such as the one of `.map`, \
             use a `for` loop. The message: {}",
            panic.line, panic.message
        );
    }
    panic.message
}

/// Requires everything that the beginning of our message names.
#[track_caller]
pub(crate) fn begins(sentence: &str, words: &str) {
    let (op, rest) = words.split_once(':').unwrap_or((words, ""));
    let shapes_and_numbers =
        shapes_and_numbers(rest.split(';').next().unwrap_or_default());
    let wanted = [op.to_string()].into_iter().chain(shapes_and_numbers);
    let missing: Vec<String> =
        wanted.filter(|word| !sentence.contains(word.as_str())).collect();
    if !missing.is_empty() {
        let sentence = in_a_line(sentence);
        panic!(
            "The error message says: {sentence}\nIt should name {}. Ours says: \
             {}",
            missing.join(" and "),
            whole_words(words)
        );
    }
}

/// Joins the lines of a message: that of `assert_eq!` has three.
fn in_a_line(sentence: &str) -> String {
    sentence.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Shortens a message to its last whole word.
fn whole_words(beginning: &str) -> String {
    match beginning.rsplit_once(' ') {
        Some((words, last)) if last.len() < 3 => format!("{words} .."),
        _ => beginning.to_string(),
    }
}

/// Requires these words.
#[track_caller]
pub(crate) fn names(sentence: &str, words: &[&str]) {
    let missing = words.iter().find(|word| !sentence.contains(**word));
    if let Some(word) = missing {
        let sentence = in_a_line(sentence);
        panic!("The error message says: {sentence}\nIt should name {word}.");
    }
}

/// Returns the shapes and numbers in a text.
fn shapes_and_numbers(text: &str) -> Vec<String> {
    let mut shapes_and_numbers = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '[' || c.is_ascii_digit()) {
        let word = &rest[at..];
        let end = match word.strip_prefix('[') {
            Some(list) => list.find(']').map_or(word.len(), |end| end + 2),
            None => {
                word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len())
            }
        };
        shapes_and_numbers.push(word[..end].to_string());
        rest = &word[end..];
    }
    shapes_and_numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_numbers_of_a_message_are_found() {
        let shapes_and_numbers = shapes_and_numbers(
            " [2, 3] x [4]: the left has 3 columns, the right 12",
        );
        assert_eq!(shapes_and_numbers, ["[2, 3]", "[4]", "3", "12"]);
    }

    #[test]
    fn wording_is_free_but_names_are_required() {
        let ours = "mul: the shapes [2] and [3] differ; make them equal";
        begins("mul of [2] by [3]? No.", ours);
        let missing = catch_unwind(|| begins("mul: no", ours)).unwrap_err();
        let missing = missing.downcast::<String>().unwrap();
        assert!(missing.contains("should name [2] and [3]"), "{missing}");
    }

    #[test]
    fn a_multiline_assertion_is_joined_to_one_line() {
        let said = "assertion `left == right` failed\n  left: [2]\n right: [3]";
        let missing = catch_unwind(|| begins(said, "mul: the shapes [2] d"));
        let missing = missing.unwrap_err().downcast::<String>().unwrap();
        let one = "says: assertion `left == right` failed left: [2] right: [3]";
        assert!(missing.contains(one), "{missing}");
        assert!(
            missing.ends_with("Ours says: mul: the shapes [2] .."),
            "{missing}"
        );
    }
}
