//! What one operator adds to the sources, file by file: "Add an operator"
//! shows it, and a test holds that no file is left out.

use crate::anchor;
use crate::manifest::{Growth, Manifest};
use crate::tree::{Fault, Tree, fault};

/// The operators that the chapter adds, as the sources write them.
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

/// Its places, in the order of the chapter.
pub(crate) const SIN: &[Growth] = &[
    Growth { out: "book/listings/sin-ops.diff", file: "src/base/ops.rs" },
    Growth {
        out: "book/listings/sin-reference.diff",
        file: "src/judge/reference.rs",
    },
    Growth {
        out: "book/listings/sin-backend.diff",
        file: "src/part3_unified/backend.rs",
    },
    Growth {
        out: "book/listings/sin-kernel.diff",
        file: "kernels/part3/elementwise.cl",
    },
    Growth {
        out: "book/listings/sin-kernels.diff",
        file: "src/part3_unified/kernels.rs",
    },
    Growth {
        out: "book/listings/sin-function.diff",
        file: "src/part3_unified/functions/trigonometry.rs",
    },
    Growth {
        out: "book/listings/sin-cases.diff",
        file: "tests/part3_unified/cases.rs",
    },
];

/// The rooms in which an operator has its places.
const ROOMS: [&str; 4] =
    ["src/", "kernels/", "tests/part3_unified/", "tests/opencl/"];

/// The lines of a file that belong to the operator, as a diff with a line
/// before and a line behind each group of them.
pub(crate) fn diff(tree: &Tree, growth: &Growth) -> Result<String, String> {
    let text = tree
        .get(growth.file)
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

/// A line belongs to the operator when it names it, when it stands in an item
/// that begins so, or in the comment above one.
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

/// Every file that names the operator is one that the chapter shows.
pub(crate) fn check(tree: &Tree, manifest: &Manifest) -> Vec<Fault> {
    if manifest.growths.is_empty() {
        return vec![];
    }
    let sources = ROOMS.iter().flat_map(|room| tree.list(room, ""));
    let shown = |file: &str| manifest.growths.iter().any(|g| g.file == file);
    sources
        .filter(|(file, _)| !shown(file))
        .filter_map(|(file, text)| {
            let at = text.lines().position(names)?;
            Some(fault(
                file,
                at + 1,
                "this belongs to the operator of \"Add an operator\", and that \
                 page does not show it. Add the file to `SIN` in \
                 crates/bookgen/src/generated/growth.rs and to the page.",
            ))
        })
        .collect()
}
