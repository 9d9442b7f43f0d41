//! Where a fault can be planted in a file of OpenCL C. Its tokens are enough:
//! what takes two operands stands between spaces in this project.

use std::ops::Range;

use crate::mutant::{Form, Mutant};

/// A token and what it is mistaken for.
const TOKENS: [(&str, &str); 31] = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" && ", " || "),
    (" || ", " && "),
    (" += ", " = "),
    (" *= ", " = "),
    (" /= ", " -= "),
    ("get_global_id(0)", "get_global_id(1)"),
    ("get_global_id(1)", "get_global_id(0)"),
    ("get_local_id(0)", "get_local_id(1)"),
    ("get_local_id(1)", "get_local_id(0)"),
    ("get_group_id(0)", "get_group_id(1)"),
    ("get_group_id(1)", "get_group_id(0)"),
    ("get_global_id(0)", "get_local_id(0)"),
    ("barrier(CLK_LOCAL_MEM_FENCE)", "(void)0"),
    ("min(", "max("),
    ("max(", "min("),
    ("fabs(x)", "x"),
    ("exp(", "log("),
    ("tanh(", "sin("),
    ("-INFINITY", "0.0f"),
    ("if (", "if (!"),
];

/// Every mutant of a file of OpenCL C, in the order of the text.
pub(crate) fn mutants(file: &str, text: &str) -> Vec<Mutant> {
    let mut found = Vec::new();
    let (mut start, mut within) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        conditions(code.trim(), &mut within);
        // What a kernel is launched with stands here and on the host.
        let fixed = code.starts_with("__attribute__")
            || (code.starts_with("#define") && !code.contains('('));
        if !fixed {
            for (part, after) in in_line(code) {
                let before = &code[part.clone()];
                let change = format!("{} to {}", before.trim(), after.trim());
                let range = start + part.start..start + part.end;
                let spaces = before.len() - before.trim_start().len();
                let at = range.start + spaces;
                let source = (file, text);
                let form = Form::Kernel;
                let mutant =
                    Mutant::new(source, form, range, after, at, change);
                found.push(Mutant { within: within.clone(), ..mutant });
            }
        }
        start += line.len();
    }
    found
}

/// The conditions that hold behind a line of the preprocessor.
fn conditions(code: &str, within: &mut Vec<String>) {
    if code.starts_with("#if") {
        within.push(code.to_owned());
    } else if code == "#else" {
        let other = within.pop().unwrap_or_default();
        within.push(format!("#else of {other}"));
    } else if code == "#endif" {
        within.pop();
    }
}

fn in_line(code: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    for (before, after) in TOKENS {
        for (at, _) in code.match_indices(before) {
            // `min(` stands in `fmin(` as well.
            let joined = code[..at].ends_with(|c: char| c.is_alphanumeric());
            if before.starts_with(' ') || !joined {
                let part = at..at + before.len();
                // The whole condition, as far as one line tells.
                match (before, closing(&code[part.end..])) {
                    ("if (", None) => {}
                    ("if (", Some(end)) => {
                        let condition = part.end..part.end + end;
                        let after = format!("!({})", &code[condition.clone()]);
                        found.push((condition, after));
                    }
                    _ => found.push((part, after.to_owned())),
                }
            }
        }
    }
    found.extend(numbers(code));
    found.sort_by_key(|(part, _)| part.start);
    found
}

/// Where the parenthesis closes that opened before `rest`.
fn closing(rest: &str) -> Option<usize> {
    let mut depth = 1;
    rest.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The numbers of a line, but for the lengths of arrays and the digits of
/// names.
fn numbers(code: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut rest = 0;
    while let Some(at) = code[rest..].find(word).map(|at| rest + at) {
        let length = code[at..].find(|c| !word(c));
        let end = length.map_or(code.len(), |length| at + length);
        rest = end;
        let text = &code[at..end];
        let declared = code[..at].ends_with('[') && !code.contains('=');
        let asked = code[..at].ends_with("_id(");
        // The second half of `1.5e-8f`.
        let exponent = code[..at].ends_with("e-");
        if declared || asked || exponent {
            continue;
        }
        if let Ok(number) = text.parse::<u32>() {
            found.push((at..end, (number + 1).to_string()));
        } else if let Some(Ok(number)) =
            text.strip_suffix('f').map(str::parse::<f64>)
        {
            found.push((at..end, format!("{:?}f", number + 1.0)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(code: &str) -> Vec<String> {
        let found = mutants("a.cl", code);
        found.into_iter().map(|mutant| mutant.change).collect()
    }

    #[test]
    fn each_token_is_mistaken_for_another() {
        assert_eq!(
            changes("if (i < n) out[i] += a[i + 1];"),
            ["i < n to !(i < n)", "< to <=", "+= to =", "+ to -", "1 to 2"]
        );
        assert_eq!(
            changes("uint i = get_global_id(0);"),
            [
                "get_global_id(0) to get_global_id(1)",
                "get_global_id(0) to get_local_id(0)"
            ]
        );
        assert_eq!(
            changes("x = fmin(x, 0.5f);"),
            ["0.5f to 1.5f"],
            "fmin is not min"
        );
    }

    #[test]
    fn a_mutant_knows_the_conditions_around_it() {
        let text = "#if CORES\na + b;\n#if FOURS\na - b;\n#endif\n#else\n\
                    a % b;\n#endif\na * b;\n";
        let found = mutants("a.cl", text).into_iter();
        let found = found.map(|it| format!("{}{:?}", it.change, it.within));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                r##"+ to -["#if CORES"]"##,
                r##"- to +["#if CORES", "#if FOURS"]"##,
                r##"% to /["#else of #if CORES"]"##,
                "* to +[]",
            ]
        );
    }

    #[test]
    fn a_number_with_an_exponent_is_left_as_it_is() {
        assert_eq!(changes("x = 1.5e-08f;"), [""; 0]);
    }

    #[test]
    fn a_pointer_a_comment_and_a_length_stay() {
        assert_eq!(changes("kernel void f(global float *a) // 1 + 2"), [""; 0]);
        assert_eq!(changes("    int sizes[8], steps[8];"), [""; 0]);
        assert_eq!(changes("#define TILE 16"), [""; 0]);
    }
}
