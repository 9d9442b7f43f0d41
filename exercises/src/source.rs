//! Searches a learner's file, ignoring comments and strings. In a few tasks
//! the learner writes something that the engine already has, and calling the
//! engine's own would give correct results. Searching for its name discourages
//! that; it is not a proof, because a renamed import passes.

use std::fs;

use crate::answer::Answer;
use crate::report::shown;
use crate::verdict::{Outcome, wrong};

/// Rejects a file that contains one of `phrases`, each a sequence of Rust
/// tokens. `why` ends the sentence that says where.
pub fn without(file: Answer, phrases: &[&str], why: &str) -> Outcome {
    let text = fs::read_to_string(file.path).unwrap_or_default();
    let Some((line, phrase)) = first(&text, phrases) else { return Ok(()) };
    let place = shown(file.path);
    Err(wrong(format!("{place}:{line} contains `{phrase}`: {why}")))
}

/// Returns the first line of a file that contains one of `phrases`, and the
/// phrase.
pub fn says<'a>(file: &str, phrases: &[&'a str]) -> Option<(usize, &'a str)> {
    first(&fs::read_to_string(file).unwrap_or_default(), phrases)
}

/// Returns the first line that contains one of the phrases, and the phrase.
pub(crate) fn first<'a>(
    text: &str,
    phrases: &[&'a str],
) -> Option<(usize, &'a str)> {
    let tokens = tokens(text);
    let says = |at: usize, phrase: &str| {
        let words = self::tokens(phrase);
        let end = at + words.len();
        let own = tokens.get(at..end);
        let same = own.is_some_and(|own| {
            own.iter().zip(&words).all(|(own, word)| own.1 == word.1)
        });
        // `x.a * b.c` does not contain `a * b`.
        let is_word = |it: Option<&(usize, &str)>| {
            it.is_some_and(|it| it.1.starts_with(is_letter))
        };
        let before = at.checked_sub(1).map_or("", |it| tokens[it].1);
        let behind = tokens.get(end).map_or("", |it| it.1);
        // Nor does a closure, whose parameters `a` and `b` are its own.
        let begins_inside =
            is_word(words.first()) && [".", "|"].contains(&before);
        let goes_on = is_word(words.last()) && [".", "["].contains(&behind);
        same && !(words.len() > 1 && (begins_inside || goes_on))
    };
    (0..tokens.len()).find_map(|at| {
        let phrase = phrases.iter().find(|phrase| says(at, phrase))?;
        Some((tokens[at].0, *phrase))
    })
}

fn is_letter(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// Returns the first string literal that contains `words`, and its line.
pub(crate) fn string_with<'a>(
    text: &str,
    words: &'a str,
) -> Option<(usize, &'a str)> {
    let mut pieces = pieces(text).into_iter();
    let is_it = |piece: &str| piece.starts_with('"') && piece.contains(words);
    pieces.find_map(|(line, piece)| is_it(piece).then_some((line, words)))
}

/// Splits Rust code into tokens, each with its line, counted from 1.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let is_silent = |(_, piece): &(usize, &str)| {
        ["\"", "//", "/*"].iter().any(|it| piece.starts_with(it))
    };
    pieces(text).into_iter().filter(|it| !is_silent(it)).collect()
}

/// Splits Rust code or a kernel into tokens, comments and strings, each with
/// its line, counted from 1.
pub(crate) fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let (mut line, mut rest) = (1, text);
    while let Some(letter) = rest.chars().next() {
        let length = length(rest, letter);
        let (piece, behind) = rest.split_at(length);
        if !letter.is_whitespace() {
            pieces.push((line, piece));
        }
        line += piece.matches('\n').count();
        rest = behind;
    }
    pieces
}

/// Returns the length in bytes of the first token of a text that begins with
/// `letter`.
fn length(text: &str, letter: char) -> usize {
    let until = |end: &str, from: usize| {
        text[from..].find(end).map_or(text.len(), |at| from + at + end.len())
    };
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    // A quotation mark in a character literal does not begin a string.
    if let Some(mark) =
        ["'\"'", "'\\\"'"].iter().find(|it| text.starts_with(**it))
    {
        return mark.len();
    }
    if letter == '"' {
        let mut escaped = false;
        let end = text[1..].find(|it| {
            let is_end = it == '"' && !escaped;
            escaped = it == '\\' && !escaped;
            is_end
        });
        return end.map_or(text.len(), |at| at + 2);
    }
    if is_letter(letter) {
        return text.find(|it| !is_letter(it)).unwrap_or(text.len());
    }
    match ["::", "->", "=>"].iter().any(|sign| text.starts_with(sign)) {
        true => 2,
        false => letter.len_utf8(),
    }
}

/// Blanks out all kernels of a text except one, so that line numbers stay the
/// same.
pub(crate) fn alone(text: &str, name: &str) -> String {
    let mut kept = String::new();
    let mut depth = None;
    let mut is_kept = true;
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let head = ["kernel void", "__attribute__"];
        let begins = head.iter().any(|word| code.trim().starts_with(word));
        if depth.is_none() && begins {
            depth = Some(0_usize);
            is_kept = true;
        }
        // The name may follow a line of attributes.
        if depth == Some(0)
            && let Some((_, rest)) = code.split_once("kernel void")
        {
            is_kept = rest.trim_start().starts_with(&format!("{name}("));
            if !is_kept {
                blank_attributes(&mut kept);
            }
        }
        if is_kept {
            kept += line;
        }
        kept.push('\n');
        if let Some(open) = &mut depth {
            let (opens, closes) =
                (code.matches('{').count(), code.matches('}').count());
            *open = (*open + opens).saturating_sub(closes);
            if *open == 0 && closes > 0 {
                (depth, is_kept) = (None, true);
            }
        }
    }
    kept
}

/// Removes the attribute lines at the end of a text.
fn blank_attributes(text: &mut String) {
    let lines = text.lines().rev();
    let own = lines.take_while(|line| line.starts_with("__attribute__"));
    let (count, bytes) = own.fold((0, 0), |(count, bytes), line| {
        (count + 1, bytes + line.len() + 1)
    });
    text.truncate(text.len() - bytes);
    *text += &"\n".repeat(count);
}

/// Returns whether a text defines a kernel of this name outside comments.
pub(crate) fn has_kernel(text: &str, name: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next());
    let code = code.flatten().collect::<Vec<_>>().join(" ");
    let mut names = code.split("void ").skip(1);
    let is_it = |known: &str| known.trim() == name;
    names.any(|rest| rest.split('(').next().is_some_and(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Promise: The checks find a forbidden expression however it is spaced.
    #[test]
    fn a_phrase_is_found_however_it_is_spaced() {
        let of = |text| first(text, &["a * b", "a.mul(b)"]);
        assert_eq!(of("fn f() {\n    a*b\n}"), Some((2, "a * b")));
        assert_eq!(of("a\n  .mul( b )"), Some((1, "a.mul(b)")));
        for other in
            ["&*a * &*b", "x.a * b", "a * b.data()", "aa * b", "|a, b| a * b"]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn comments_and_strings_say_nothing() {
        let of = |text| first(text, &["a * b"]);
        for silent in [
            "// a * b",
            "/* a * b\n */",
            "\"a * b\"",
            "\"\\\" a * b\"",
            "//| a * b\n",
        ] {
            assert_eq!(of(silent), None, "{silent}");
        }
        assert_eq!(of("\"\\\\\"\n/* */ a * b"), Some((2, "a * b")));
        assert_eq!(of("'\"'; a * b"), Some((1, "a * b")));
        assert_eq!(of("'\\\"'; a * b"), Some((1, "a * b")));
    }

    #[test]
    fn a_call_is_no_mention() {
        let of = |text| first(text, &["Tensor::relu(", "cross_entropy"]);
        assert_eq!(of("relu: Tensor::relu,"), None);
        assert_eq!(of("Tensor::relu(a)"), Some((1, "Tensor::relu(")));
        let called = of("x.cross_entropy(y)");
        assert_eq!(called, Some((1, "cross_entropy")));
    }

    #[test]
    fn a_kernel_stands_alone_with_what_is_no_kernel() {
        let text = "float f(float a) { return a; }\n\
                    kernel void one(uint n)\n{\n  if (n) { f(1); } // }\n}\n\
                    #define X 1\n__attribute__((x))\n\
                    kernel void two(uint n)\n{ }\nend";
        let lines = |text: String| -> Vec<String> {
            text.lines().map(str::to_string).collect()
        };
        let (one, two) = (lines(alone(text, "one")), lines(alone(text, "two")));
        let whole = lines(text.to_string());
        assert_eq!((one.len(), two.len()), (whole.len(), whole.len()));
        assert_eq!((&one[..6], &one[9..]), (&whole[..6], &whole[9..]));
        assert_eq!(one[6..9], ["", "", ""]);
        assert_eq!((&two[..1], &two[5..]), (&whole[..1], &whole[5..]));
        assert_eq!(two[1..5], ["", "", "", ""]);
    }

    #[test]
    fn a_kernel_is_found_by_its_name_and_not_in_a_comment() {
        let text = "// kernel void relu(global float *a)\n\
                    kernel void\n  add_row(uint n) { relu(n); }";
        assert!(has_kernel(text, "add_row"));
        assert!(!has_kernel(text, "relu") && !has_kernel(text, "add"));
    }
}
