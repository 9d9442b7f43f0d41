//! How the documentation of a function begins.

use super::sources;

/// Words that end as a verb does and are none.
const NO_VERBS: &[&str] = &[
    "Additions",
    "As",
    "Buffers",
    "Bytes",
    "Columns",
    "Files",
    "Flags",
    "Images",
    "Items",
    "Its",
    "Kernels",
    "Less",
    "Lines",
    "Numbers",
    "Points",
    "Rows",
    "Scores",
    "Seconds",
    "Sizes",
    "This",
    "Values",
    "Warnings",
    "Words",
];

/// Tells whether a sentence begins with a verb: `Returns`, `Adds`.
fn begins_with_a_verb(sentence: &str) -> bool {
    let word = sentence.split(|c: char| !c.is_alphanumeric()).next();
    let word = word.unwrap_or_default();
    let (first, rest) = word.split_at_checked(1).unwrap_or_default();
    first.chars().all(|c| c.is_ascii_uppercase())
        && rest.chars().all(|c| c.is_ascii_lowercase())
        && rest.ends_with('s')
        && !NO_VERBS.contains(&word)
}

/// Tells whether a line begins a function.
fn is_function(line: &str) -> bool {
    line.split_once("fn ").is_some_and(|(before, _)| {
        let known = ["const", "async", "unsafe", "extern", "\"C\"", ""];
        let mut words = before.trim_start_matches("pub").split(' ');
        words.all(|word| known.contains(&word) || word.contains(['(', ')']))
    })
}

/// Finds the functions that are documented, and are no tests: the number of
/// the first line of what is said of each, and that line.
fn documented(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut first) = (Vec::new(), None);
    let mut in_attribute = false;
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if let Some(words) = line.strip_prefix("///") {
            first = first.or(Some((number, words.trim())));
        } else if in_attribute || line.starts_with("#[") {
            // The name of a test is its documentation, and above it stands why.
            first = first.filter(|_| line != "#[test]");
            in_attribute = !line.ends_with(']');
        } else if !line.starts_with("//") {
            found.extend(first.take().filter(|_| is_function(line)));
        }
    }
    found
}

/// The checks of the exercises are tests, and are left out like them.
///
/// Promise: The documentation of a function begins with a verb.
#[test]
fn what_a_function_does_is_said_by_a_verb_first() {
    let exercises = ["src", "solutions", "right"];
    let exercises = exercises.map(|folder| format!("exercises/{folder}"));
    let exercises: Vec<&str> = exercises.iter().map(String::as_str).collect();
    let ours = [
        "src",
        "crates/learn/src",
        "crates/page/src",
        "crates/profile/src",
        "crates/tools/src",
        "crates/xtask/src",
    ];
    let folders = [&ours[..], &exercises].concat();
    let mut seen = 0;
    for source in sources(&folders, &[".rs"]) {
        for (number, words) in documented(&source.text) {
            seen += 1;
            assert!(
                begins_with_a_verb(words),
                "{}:{number}: `{words}`; say what the function does, by a verb \
                 first: `Returns`, `Adds`",
                source.path
            );
        }
    }
    assert!(seen > 1000, "{seen} functions are documented");
}

#[test]
fn a_noun_is_no_verb_and_a_test_has_its_name() {
    let text = "/// Adds up.\n#[inline]\npub(super) fn sum() {}\n\
                /// Rows of sums.\n// ANCHOR: rows\nfn rows() {}\n\
                /// Why.\n#[test]\nfn it_adds_up() {}\n\
                /// A sum.\nstruct Sum;\nfn plain() {}\n";
    assert_eq!(documented(text), [(1, "Adds up."), (4, "Rows of sums.")]);
    assert!(begins_with_a_verb("Adds up."));
    for none in ["Rows of sums.", "The sum.", "sums up", "`a` adds", "", "S"] {
        assert!(!begins_with_a_verb(none), "{none}");
    }
}
