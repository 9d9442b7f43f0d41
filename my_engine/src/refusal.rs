//! How a refusal of the reader's is heard. Its words are the reader's own: it
//! has to name the operation, the shapes and the numbers that ours names. From
//! the level on at which the book says so, it must be a mistake at the
//! caller's line, and not at one inside of the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::broken;
use crate::its_file;
use crate::mine::{BROADCAST, is_at};

/// Returns the message with which `work` is rejected; `what` names the call.
#[track_caller]
pub(crate) fn refusal<T>(what: &str, work: impl FnOnce() -> T) -> String {
    if catch_unwind(AssertUnwindSafe(|| drop(work()))).is_ok() {
        panic!("{what} was not refused: it should have panicked");
    }
    let panic = broken::last();
    if is_at(BROADCAST) && panic.file == its_file() {
        panic!(
            "{what} is refused at line {} of your file, inside of the engine. \
             Who calls it wants to see a line of their own: write \
             #[track_caller] above that function, and above each of yours that \
             calls it on the way. The sentence: {}",
            panic.line, panic.message
        );
    }
    panic.message
}

/// Holds a refusal to what the beginning of ours names.
#[track_caller]
pub(crate) fn begins(sentence: &str, words: &str) {
    let (op, rest) = words.split_once(':').unwrap_or((words, ""));
    let told = told(rest.split(';').next().unwrap_or_default());
    let wanted = [op.to_string()].into_iter().chain(told);
    let lost: Vec<String> =
        wanted.filter(|word| !sentence.contains(word.as_str())).collect();
    if !lost.is_empty() {
        let sentence = in_a_line(sentence);
        panic!(
            "The refusal says: {sentence}\nIt should name {}. Ours says: {}",
            lost.join(" and "),
            whole_words(words)
        );
    }
}

/// Joins the lines of a sentence: an assertion of the standard library has
/// three.
fn in_a_line(sentence: &str) -> String {
    sentence.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts the beginning of a sentence behind its last whole word.
fn whole_words(beginning: &str) -> String {
    match beginning.rsplit_once(' ') {
        Some((words, last)) if last.len() < 3 => format!("{words} .."),
        _ => beginning.to_string(),
    }
}

/// Holds a refusal to these words.
#[track_caller]
pub(crate) fn names(sentence: &str, words: &[&str]) {
    let lost = words.iter().find(|word| !sentence.contains(**word));
    if let Some(word) = lost {
        let sentence = in_a_line(sentence);
        panic!("The refusal says: {sentence}\nIt should name {word}.");
    }
}

/// Lists the shapes and numbers of a sentence.
fn told(text: &str) -> Vec<String> {
    let mut told = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '[' || c.is_ascii_digit()) {
        let word = &rest[at..];
        let end = match word.strip_prefix('[') {
            Some(list) => list.find(']').map_or(word.len(), |end| end + 2),
            None => {
                word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len())
            }
        };
        told.push(word[..end].to_string());
        rest = &word[end..];
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_ours_is_read_for_what_it_names() {
        let told = told(" [2, 3] x [4]: the left has 3 columns, the right 12");
        assert_eq!(told, ["[2, 3]", "[4]", "3", "12"]);
    }

    #[test]
    fn words_are_the_reader_s_own_and_what_they_name_is_not() {
        let ours = "mul: the shapes [2] and [3] differ; make them equal";
        begins("mul of [2] by [3]? No.", ours);
        let lost = catch_unwind(|| begins("mul: no", ours)).unwrap_err();
        let lost = lost.downcast::<String>().unwrap();
        assert!(lost.contains("should name [2] and [3]"), "{lost}");
    }

    #[test]
    fn an_assertion_of_the_reader_s_is_one_sentence_and_no_two_sides() {
        let said = "assertion `left == right` failed\n  left: [2]\n right: [3]";
        let lost = catch_unwind(|| begins(said, "mul: the shapes [2] d"));
        let lost = lost.unwrap_err().downcast::<String>().unwrap();
        let one = "says: assertion `left == right` failed left: [2] right: [3]";
        assert!(lost.contains(one), "{lost}");
        assert!(lost.ends_with("Ours says: mul: the shapes [2] .."), "{lost}");
    }
}
