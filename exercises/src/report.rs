//! Formats what a check prints: lines that fit the terminal, and clickable
//! paths.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use rungrad::draw;
use rungrad::tape::Tape;

/// Returns the width of the terminal, if `cargo learn` or the shell provides
/// it.
pub(crate) fn columns() -> Option<usize> {
    let columns = env::var("COLUMNS").ok()?.trim().parse().ok()?;
    Some(columns).filter(|columns| *columns >= 20)
}

/// Wraps prose to the width of the terminal.
pub(crate) fn filled(text: &str) -> String {
    filled_within(text, columns())
}

/// Wraps prose to fit `columns`, and at most 80. Indented lines are tables and
/// code and stay unchanged.
pub(crate) fn filled_within(text: &str, columns: Option<usize>) -> String {
    let width = columns.unwrap_or(80).min(80) - 2;
    let mut page = String::new();
    for line in text.lines() {
        let mut column = 0;
        if line.starts_with(' ') {
            page += line;
        } else {
            for word in line.split(' ') {
                let length = word.chars().count();
                if column > 0 && column + 1 + length > width {
                    page += "\n";
                    column = 0;
                } else if column > 0 {
                    page += " ";
                    column += 1;
                }
                page += word;
                column += length;
            }
        }
        page += "\n";
    }
    page
}

/// Returns the root of the repository if `file` is in its exercises. The path
/// is found at run time, because a checkout may have been moved since
/// compilation.
pub fn root(file: &str) -> Option<&Path> {
    let exercises = Path::new(file).ancestors().nth(2)?;
    let is_ours = exercises.join("exercises.toml").is_file();
    exercises.parent().filter(|_| is_ours)
}

static ROOT: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Makes [`shown`] shorten paths below the folder that contains the exercises
/// of `file`.
pub(crate) fn shorten_paths_of(file: &str) {
    let mut folders = Path::new(file).ancestors();
    let exercises = folders.find(|it| it.ends_with("exercises"));
    let root = exercises.and_then(Path::parent);
    ROOT.get_or_init(|| root.map(Path::to_path_buf));
}

/// Formats a path relative to the root of the repository.
pub fn shown(path: &str) -> String {
    let root = ROOT.get().and_then(Option::as_ref);
    let path = Path::new(path);
    let short = root.and_then(|root| path.strip_prefix(root).ok());
    short.unwrap_or(path).display().to_string()
}

/// The width of a tape where the width of the terminal is unknown, as in a log.
const WIDEST: usize = 100;

/// Formats a number with a comma after every three digits.
pub fn with_commas(number: u128) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(|it| String::from_utf8_lossy(it).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// Formats the tape as a table that fits `columns`.
pub(crate) fn table(
    tape: &Tape,
    blamed: Option<usize>,
    columns: Option<usize>,
) -> String {
    let room = columns.unwrap_or(WIDEST) - 2;
    let text = draw::text_within(tape, blamed, room);
    text.lines().map(|it| format!("  {it}\n")).collect()
}

/// Draws the tape into a file. Returns the line that names the file.
pub(crate) fn picture(id: &str, tape: &Tape, blamed: Option<usize>) -> String {
    let title = format!("The tape of the exercise {id}");
    let file = folder().join(format!("{id}.svg"));
    let svg = draw::svg(tape, id, &title, blamed);
    let saved =
        fs::create_dir_all(folder()).and_then(|()| fs::write(&file, svg));
    match saved {
        Ok(()) => {
            let place = shown(&file.to_string_lossy());
            format!("\nThe same as a picture: {place}\n")
        }
        // The picture is optional: the table has the same information.
        Err(_) => String::new(),
    }
}

/// Returns `target/verdict`. The check itself is in `target/debug/deps`.
pub(crate) fn folder() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let target = program.ancestors().nth(3).unwrap_or(Path::new("target"));
    target.join("verdict")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_three_digits() {
        for (number, text) in
            [(7, "7"), (123, "123"), (18_748_800, "18,748,800")]
        {
            assert_eq!(with_commas(number), text);
        }
    }

    #[test]
    fn prose_is_broken_and_tables_are_not() {
        let long = "word ".repeat(30);
        let text = format!("{}\n  {long}\nend", long.trim());
        let page = filled_within(&text, None);
        let lines: Vec<&str> = page.lines().collect();
        assert!(lines[0].len() <= 78 && lines[1].len() <= 78);
        assert_eq!(lines[2], format!("  {long}"));
        assert_eq!(lines[3], "end");
    }
}
