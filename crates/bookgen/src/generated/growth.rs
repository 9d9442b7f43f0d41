//! Generates the lines that an operator adds to each source file, for the
//! chapter "Add an operator". A check ensures that no file is missing.

use crate::anchor;
use crate::manifest::{Growth, Manifest};
use crate::tree::{Fault, Tree, fault};

/// The operators that the chapter adds, as they appear in the sources.
const NAMES: [&str; 8] = [
    "Sin",
    "Cos",
    "unary_sin",
    "unary_cos",
    "\"sin\"",
    "\"cos\"",
    "fn sin",
    "fn cos",
];

/// The folders whose files an operator changes.
const FOLDERS: [&str; 4] =
    ["src/", "kernels/", "tests/part3_unified/", "tests/opencl/"];

/// Returns the lines of a file that belong to the operator, as a diff with one
/// line of context.
pub(crate) fn diff(tree: &Tree, growth: &Growth) -> Result<String, String> {
    let text = tree
        .get(&growth.file)
        .ok_or(format!("`{}` does not exist.", growth.file))?;
    let lines: Vec<&str> =
        text.lines().filter(|line| !anchor::is_mark(line)).collect();
    let belongs = belonging(&lines);
    if !belongs.contains(&true) {
        return Err(format!("`{}` does not name the operator.", growth.file));
    }
    let near = |i: usize| {
        let from = i.saturating_sub(1);
        belongs[from..(i + 2).min(lines.len())].contains(&true)
    };
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate().filter(|(i, _)| near(*i)) {
        if i > 0 && !near(i - 1) && !out.is_empty() {
            out.push('\n');
        }
        let sign = if belongs[i] { '+' } else { ' ' };
        out.push_str(format!("{sign}{line}").trim_end());
        out.push('\n');
    }
    Ok(format!("{}\n", out.trim_matches('\n')))
}

/// Returns which lines belong to the operator: lines with its name, items
/// whose first line contains it, and the comments above such items.
fn belonging(lines: &[&str]) -> Vec<bool> {
    let mut belongs: Vec<bool> = lines.iter().map(|l| names(l)).collect();
    let mut item: Option<String> = None;
    for (i, line) in lines.iter().enumerate() {
        if let Some(end) = &item {
            belongs[i] = true;
            if line == end {
                item = None;
            }
        } else if belongs[i] && line.ends_with('{') {
            let indent = line.len() - line.trim_start().len();
            item = Some(format!("{}}}", " ".repeat(indent)));
        }
    }
    for i in (0..lines.len() - 1).rev() {
        let line = lines[i].trim_start();
        let heads = line.starts_with("///") || line.starts_with("#[");
        belongs[i] |= heads && belongs[i + 1];
    }
    belongs
}

fn names(line: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    NAMES.iter().any(|name| {
        line.match_indices(name).any(|(at, _)| {
            !line[..at].ends_with(is_word)
                && !line[at + name.len()..].starts_with(is_word)
        })
    })
}

/// Checks that the chapter shows every file that contains the operator's name.
pub(crate) fn check(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    if manifest.growths.is_empty() {
        return vec![];
    }
    let sources = FOLDERS.iter().flat_map(|it| tree.list(it, ""));
    let shown = |file: &str| manifest.growths.iter().any(|g| g.file == file);
    sources
        .filter(|(file, _)| !shown(file))
        .filter_map(|(file, text)| {
            let at = text.lines().position(names)?;
            Some(fault(
                file,
                at + 1,
                "this belongs to the operator of \"Add an operator\", and that \
                 page does not show it. Add the file to \
                 crates/bookgen/manifest.toml and to the page.",
            ))
        })
        .collect()
}
