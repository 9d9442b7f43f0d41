//! What a learner's file says: its words and signs, without what stands in
//! comments and strings. A few tasks are to write what the engine has, and the
//! engine's own gives the right numbers, of course. To ask for its name is a
//! nudge and no proof: under another name it passes.

use std::fs;

use crate::report::shown;
use crate::verdict::{Outcome, wrong};

/// Tells whether a file says none of `phrases`, each some words and signs of
/// Rust. `why` ends the sentence that says where it does.
pub fn without(file: &str, phrases: &[&str], why: &str) -> Outcome {
    let text = fs::read_to_string(file).unwrap_or_default();
    let Some((line, phrase)) = first(&text, phrases) else { return Ok(()) };
    let place = shown(file);
    Err(wrong(format!("{place}:{line} says `{phrase}`: {why}")))
}

/// Finds the first line that says one of the phrases, and which.
fn first<'a>(text: &str, phrases: &[&'a str]) -> Option<(usize, &'a str)> {
    let tokens = tokens(text);
    let says = |at: usize, phrase: &str| {
        let words = self::tokens(phrase);
        let end = at + words.len();
        let own = tokens.get(at..end);
        let same = own.is_some_and(|own| {
            own.iter().zip(&words).all(|(own, word)| own.1 == word.1)
        });
        // `x.a * b.c` does not say `a * b`.
        let is_word = |it: Option<&(usize, &str)>| {
            it.is_some_and(|it| it.1.starts_with(is_letter))
        };
        let before = at.checked_sub(1).map_or("", |it| tokens[it].1);
        let behind = tokens.get(end).map_or("", |it| it.1);
        // Nor does a closure, whose `a` and `b` are its own.
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

/// Lists the words and signs of Rust code, each with its line, counted from 1.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let (mut line, mut rest) = (1, text);
    while let Some(letter) = rest.chars().next() {
        let length = length(rest, letter);
        let (token, behind) = rest.split_at(length);
        let is_silent = letter.is_whitespace()
            || letter == '"'
            || token.starts_with("//")
            || token.starts_with("/*");
        if !is_silent {
            tokens.push((line, token));
        }
        line += token.matches('\n').count();
        rest = behind;
    }
    tokens
}

/// Counts the bytes of the first token of a text that begins with `letter`.
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
    // A quotation mark between quotes begins no string.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
