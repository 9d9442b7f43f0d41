//! Checks of the anchors, and the lines that a page quotes.

use learn::anchor::{Mark, mark};

use crate::tree::{Fault, Tree, ending, fault};

/// The folders whose anchors exist only for the book.
const FOLDERS: [&str; 5] = [
    "src/",
    "kernels/",
    "examples/",
    "exercises/solutions/",
    "crates/cluster/",
];

/// Returns whether the line only marks the beginning or the end of a region.
pub(crate) fn is_mark(line: &str) -> bool {
    mark(line).is_some()
}

/// For each line, the first of the named regions that holds it.
pub(crate) fn quoted<'a>(
    text: &str,
    names: &'a [String],
) -> Vec<Option<&'a str>> {
    let mut open: Vec<&str> = Vec::new();
    let line = |line| {
        let known = |name: &&str| names.iter().find(|it| it == name);
        match mark(line) {
            Some(Mark::Start(name)) => {
                open.extend(known(&name).map(String::as_str));
            }
            Some(Mark::End(name)) => open.retain(|it| *it != name),
            None => {}
        }
        open.first().copied()
    };
    text.lines().map(line).collect()
}

/// Checks that every anchor opens once, closes once, and is quoted by the
/// book.
pub(crate) fn check(
    tree: &Tree,
    is_used: impl Fn(&str, &str) -> bool,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let sources = FOLDERS.iter().flat_map(|it| tree.list(it, ""));
    for (file, text) in sources.filter(|(f, _)| is_source(f)) {
        let mut open: Vec<(usize, &str)> = Vec::new();
        let mut known: Vec<&str> = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let mut say = |what| faults.push(fault(file, number, what));
            match mark(line) {
                None => {}
                Some(Mark::Start(name)) => {
                    if known.contains(&name) {
                        say(format!(
                            "the anchor `{name}` opens twice, and mdBook \
                             takes the first. Rename one."
                        ));
                    } else if !is_used(file, name) {
                        say(format!(
                            "no page quotes the anchor `{name}`. Include it \
                             in a chapter or remove it."
                        ));
                    }
                    known.push(name);
                    open.push((number, name));
                }
                Some(Mark::End(name)) => {
                    match open.iter().position(|(_, o)| *o == name) {
                        Some(i) => drop(open.remove(i)),
                        None => say(format!(
                            "the anchor `{name}` closes and was not open. \
                             Add `ANCHOR: {name}` above its region."
                        )),
                    }
                }
            }
        }
        for (number, name) in open {
            faults.push(fault(
                file,
                number,
                format!(
                    "the anchor `{name}` never closes, and mdBook would \
                     include the rest of the file. Add `ANCHOR_END: {name}`."
                ),
            ));
        }
    }
    faults
}

pub(crate) fn is_source(path: &str) -> bool {
    matches!(ending(path), "rs" | "cl") && !path.starts_with("book/")
}
