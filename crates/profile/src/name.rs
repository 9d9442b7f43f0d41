//! Finds the name of the accessed array in the source.
//!
//! Debug information locates an access by line and column: a load at the first
//! letter of its operand (`a[i]`), a store at its operator (`=`, `+=`, `++`),
//! and a call of a built-in function at the name of the function (`vload4(i,
//! a)`).

use crate::record::{Access, Kind, Launch};

/// The maximum number of lines that a statement begins above an access.
const LINES_ABOVE: usize = 4;

impl Launch {
    /// Returns the name of the accessed array, or an empty string if the
    /// source does not show it.
    pub fn array(&self, access: &Access) -> String {
        let line = self.text(access.line);
        let column = line.char_indices().nth(access.column.saturating_sub(1));
        let (before, after) =
            line.split_at(column.map_or(line.len(), |(at, _)| at));
        // A statement may begin on an earlier line.
        let first = access.line.saturating_sub(LINES_ABOVE);
        let above = (first..access.line).map(|line| self.text(line));
        let before = above.chain([before]).collect::<Vec<_>>().join("\n");
        let name = match access.kind {
            _ if is_call(after) => argument(after),
            _ if is_prefix(after) => name(after),
            Kind::Load | Kind::Atomic if !is_assignment(after) => name(after),
            _ => target(&before),
        };
        name.unwrap_or_default().to_string()
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether the text begins with an operator that assigns to the
/// operand on its left. The load of `x[i] += 1` is located at the operator,
/// too.
fn is_assignment(text: &str) -> bool {
    let operators = ["++", "--", "<<=", ">>="];
    let is_compound = |text: &str| {
        text.starts_with(|c| "+-*/%&|^".contains(c))
            && text[1..].starts_with('=')
    };
    operators.iter().any(|it| text.starts_with(it)) || is_compound(text)
}

/// Returns whether the text begins with `++` or `--` in front of its operand.
fn is_prefix(text: &str) -> bool {
    let operand = ["++", "--"].iter().find_map(|it| text.strip_prefix(it));
    let operand = operand.map(str::trim_start);
    operand
        .is_some_and(|it| it.starts_with(|c| is_letter(c) || "(*".contains(c)))
}

/// Returns whether the text begins with the call of a function.
fn is_call(text: &str) -> bool {
    let rest = text.trim_start_matches(is_letter);
    rest.len() < text.len()
        && rest.trim_start().starts_with('(')
        && !is_keyword(&text[..text.len() - rest.len()])
}

/// Returns the array among the arguments of a call. It is the last argument of
/// `vload4` and `vstore4`, and the first one of `atomic_add`.
fn argument(text: &str) -> Option<&str> {
    let open = text.find('(')?;
    let inner = &text[open + 1..];
    let (mut depth, mut last, mut end) = (0, 0, inner.len());
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth > 0 => depth -= 1,
            ')' => {
                end = at;
                break;
            }
            ',' if depth == 0 => last = at + 1,
            _ => {}
        }
    }
    let takes_it_last =
        ["vload", "vstore"].iter().any(|it| text.starts_with(it));
    name(&inner[if takes_it_last { last } else { 0 }..end])
}

/// Returns the first name in the text that is neither a keyword nor a type,
/// such as the array in `*(global float4 *)(a + i)`.
fn name(text: &str) -> Option<&str> {
    let mut words = text.split(|c| !is_letter(c));
    words.find(|word| {
        word.starts_with(|c: char| !c.is_ascii_digit()) && !is_keyword(word)
    })
}

/// Returns the array at the end of the text, to which the next token assigns:
/// `if (i < n) out[i]`, `*(out + i)`, `tile[y][x].lo`.
fn target(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let Some(open) = matching(text) else {
        let start = text.rfind(|c| !is_letter(c)).map_or(0, |at| at + 1);
        let (rest, word) = text.split_at(start);
        // A component of an element.
        return match rest.strip_suffix('.') {
            Some(element) => target(element),
            None => name(word),
        };
    };
    let (before, group) = text.split_at(open);
    match group.starts_with('[') {
        true => target(before),
        false => name(group),
    }
}

/// Returns the index of the bracket that opens the group at the end of the
/// text.
fn matching(text: &str) -> Option<usize> {
    if !text.ends_with([')', ']']) {
        return None;
    }
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// Returns whether a word of OpenCL C names neither a variable nor a function.
fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 24] = [
        "if", "else", "for", "while", "do", "switch", "case", "default",
        "return", "break", "continue", "goto", "sizeof", "const", "volatile",
        "restrict", "static", "unsigned", "signed", "struct", "union",
        "size_t", "void", "bool",
    ];
    const SPACES: [&str; 6] =
        ["global", "local", "private", "constant", "kernel", "generic"];
    const TYPES: [&str; 11] = [
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
        "half", "float", "double",
    ];
    let plain = word.trim_start_matches("__");
    let scalar = word.trim_end_matches(|c: char| c.is_ascii_digit());
    WORDS.contains(&word) || SPACES.contains(&plain) || TYPES.contains(&scalar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Work;

    /// Returns the array of an access at the first `sign` in the last line.
    fn array(kind: Kind, text: &str, sign: &str) -> String {
        let mut launch = Launch::default();
        for (at, line) in text.lines().enumerate() {
            let work = Work { text: line.to_string(), warps: 1, items: 1 };
            launch.lines.insert(at + 1, work);
        }
        let line = text.lines().count();
        let column = text.lines().last().unwrap().find(sign).unwrap() + 1;
        launch.array(&Access {
            line,
            column,
            kind,
            is_local: false,
            bytes: 4,
            moments: Vec::new(),
        })
    }

    #[test]
    fn a_store_has_the_name_of_its_array() {
        for (text, name) in [
            ("out[i] = a[i];", "out"),
            ("if (r < rows && c < n) out[c * n + r] = a[r];", "out"),
            ("if (item < 64) sums[item] += sums[item + 64];", "sums"),
            ("else out[lookup[i]] = 1;", "out"),
            ("for (uint j = 0; j < n; j++) tile[y][x] = a[j];", "tile"),
            ("while (go) *(out + i) = 1;", "out"),
            ("if (i < n) *((global float4 *)out + i) = v;", "out"),
            ("if (i < n) pairs[i].x = v;", "pairs"),
            ("if (i < n) (out + k)[i] = v;", "out"),
            ("if (i < n) counts[i] ++;", "counts"),
            ("    [i] = v;", ""),
            ("out[row * n\n    + column] = v;", "out"),
        ] {
            let sign = ["+= ", "++;", "= v", "= a", "= 1"];
            let last = text.lines().last().unwrap();
            let sign = sign.iter().find(|it| last.contains(**it)).unwrap();
            assert_eq!(array(Kind::Store, text, sign), name, "{text}");
        }
        assert_eq!(array(Kind::Store, "if (on) ++out[i];", "++"), "out");
    }

    #[test]
    fn a_load_has_the_name_of_its_array_despite_casts_and_calls() {
        for (text, sign, name) in [
            ("if (i < n) out[i] = a[i];", "a[i]", "a"),
            ("if (a[i] > 0) out[i] = 1;", "a[i]", "a"),
            ("float4 v = *(global float4 *)(a + i);", "*(", "a"),
            ("float4 v = ((__global const float4 *)a)[i];", "((", "a"),
            ("float4 v = vload4(i, a + row * k);", "vload4", "a"),
            ("if (on) sums[i] += a[i];", "+=", "sums"),
            ("if (on) sums[i] += a[i];", "a[i]", "a"),
        ] {
            assert_eq!(array(Kind::Load, text, sign), name, "{text}");
        }
        for (text, sign, name) in [
            ("if (i < n) atomic_inc(&own[bin]);", "atomic", "own"),
            ("atomic_add((volatile local uint *)own + i, 1);", "atomic", "own"),
        ] {
            assert_eq!(array(Kind::Atomic, text, sign), name, "{text}");
        }
        let text = "vstore4(a[i] + b, i, out + row);";
        assert_eq!(array(Kind::Store, text, "vstore4"), "out");
    }
}
