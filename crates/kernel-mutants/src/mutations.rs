//! Finds the mutations of a file of OpenCL C. Looking for tokens is enough,
//! because the kernels have spaces around their binary operators.

use std::ops::Range;

/// A kernel file with one small change.
pub(crate) struct Mutant {
    /// The number of the changed line, from 1.
    pub(crate) line: usize,
    /// That line, before and after the change, with single spaces.
    pub(crate) before: String,
    pub(crate) after: String,
    /// The whole file after the change.
    pub(crate) text: String,
}

/// Tokens that are replaced by each other.
const SWAPS: [(&str, &str); 9] = [
    (" < ", " <= "),
    (" > ", " >= "),
    (" == ", " != "),
    (" + ", " - "),
    (" && ", " || "),
    ("get_global_id(0)", "get_global_id(1)"),
    ("get_local_id(0)", "get_local_id(1)"),
    ("get_group_id(0)", "get_group_id(1)"),
    ("min(", "max("),
];

/// Tokens that are replaced in one direction.
const REPLACEMENTS: [(&str, &str); 8] = [
    ("if (", "if (1 || "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" += ", " = "),
    ("get_global_id(0)", "get_local_id(0)"),
    ("barrier(CLK_LOCAL_MEM_FENCE)", "(void)0"),
    ("-INFINITY", "0.0f"),
];

/// Lists the mutants of a file in the order of its text.
///
/// Code below `#if CORES` is left out, because it needs NVIDIA's tensor cores,
/// which no test machine has. The plain variant below `#else` is included.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut conditions = Vec::new();
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let code = line.split("//").next().unwrap_or_default();
        match code.trim() {
            "#if CORES" => conditions.push(true),
            "#else" => {
                conditions.pop();
                conditions.push(false);
            }
            "#endif" => drop(conditions.pop()),
            it if it.starts_with("#if") => conditions.push(false),
            _ => {}
        }
        // The host has its own copy of these constants.
        let is_fixed = code.starts_with("__attribute__")
            || code.starts_with("#line")
            || (code.starts_with("#define") && !code.contains('('));
        if !is_fixed && !conditions.contains(&true) {
            for (range, token) in changes(code) {
                let mut after = line.to_string();
                after.replace_range(range, &token);
                let mut text = text.to_string();
                text.replace_range(start..start + line.len(), &after);
                let [before, after] = [line, &after].map(|line| {
                    line.split_whitespace().collect::<Vec<_>>().join(" ")
                });
                found.push(Mutant { line: number, before, after, text });
            }
        }
        start += line.len();
    }
    found
}

/// Lists the bytes of a line that can be replaced, with their replacements.
fn changes(code: &str) -> Vec<(Range<usize>, String)> {
    let swaps = SWAPS.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let mut found = Vec::new();
    for (before, after) in swaps.chain(REPLACEMENTS) {
        for (at, _) in code.match_indices(before) {
            // `fmin(` contains `min(`.
            let is_suffix = code[..at].ends_with(char::is_alphanumeric);
            if before.starts_with([' ', '-']) || !is_suffix {
                found.push((at..at + before.len(), after.to_string()));
            }
        }
    }
    found.extend(numbers(code));
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// Adds 1 to each number that is not the length of an array, an argument of
/// `get_global_id` and its like, or part of a name or of an exponent.
fn numbers(code: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    for (start, _) in code.match_indices(char::is_numeric) {
        let before = &code[..start];
        let is_length = before.ends_with('[') && !code.contains('=');
        let is_part = before.ends_with(is_word) || before.ends_with("e-");
        if is_length || is_part || before.ends_with("_id(") {
            continue;
        }
        let word = code[start..].split(|c| !is_word(c)).next();
        let word = word.expect("it begins with a digit");
        let after = match word.strip_suffix('f').map(str::parse::<f64>) {
            Some(Ok(float)) => format!("{:?}f", float + 1.0),
            _ => match word.parse::<u32>() {
                Ok(number) => (number + 1).to_string(),
                Err(_) => continue,
            },
        };
        found.push((start..start + word.len(), after));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_of_a_line_has_mutants() {
        let line = "if (i < n) out[i] += fmin(a[i + 1], 0.5f);";
        let found = mutants(line).into_iter().map(|it| it.after);
        let expected = [
            "if (1 || i < n) out[i] += fmin(a[i + 1], 0.5f);",
            "if (i <= n) out[i] += fmin(a[i + 1], 0.5f);",
            "if (i < n) out[i] = fmin(a[i + 1], 0.5f);",
            "if (i < n) out[i] += fmin(a[i - 1], 0.5f);",
            "if (i < n) out[i] += fmin(a[i + 2], 0.5f);",
            "if (i < n) out[i] += fmin(a[i + 1], 1.5f);",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn tensor_core_code_and_constants_are_not_mutated() {
        let text = "#if CORES\na + b;\n#if FOURS\na - b;\n#endif\n#else\n\
                    a % b;\n#endif\na * b;\n#define TILE 16\n\
                    int sizes[8], steps[8]; // 1 + 2\nx = 1.5e-08f;\n\
                    kernel void f(global float *a)\n";
        let found = mutants(text).into_iter().map(|it| it.line);
        assert_eq!(found.collect::<Vec<_>>(), [7, 9]);
    }
}
