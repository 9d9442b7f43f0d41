//! Measures how much of Part 2 repeats Part 1: the lines that both contain.

use std::process::ExitCode;

use rungrad::ops::OPERATIONS;
use similar::{DiffTag, TextDiff};

/// The source files that both parts have under the same name.
macro_rules! twice {
    ($($file:literal),*) => {
        [$(($file, [
            include_str!(concat!("../src/part1_cpu/", $file)),
            include_str!(concat!("../src/part2_gpu/", $file)),
        ])),*]
    };
}

const TWICE: [(&str, [&str; 2]); 6] = twice![
    "tensor.rs",
    "ops.rs",
    "reduce.rs",
    "matrix.rs",
    "backward.rs",
    "inspect.rs"
];

/// The source files of Part 1 that Part 2 has no counterpart for.
const ONCE: [(&str, &str); 3] = [
    ("operators.rs", include_str!("../src/part1_cpu/operators.rs")),
    ("nn.rs", include_str!("../src/part1_cpu/nn.rs")),
    ("optim.rs", include_str!("../src/part1_cpu/optim.rs")),
];

fn main() -> ExitCode {
    rungrad::run(|| {
        println!("lines of code  part 1  part 2  in both");
        let mut all = [0; 3];
        for (file, texts) in TWICE {
            let [part1, part2] = texts.map(code);
            let counts = [part1.len(), part2.len(), in_both(&part1, &part2)];
            row(file, counts);
            all = [0, 1, 2].map(|column| all[column] + counts[column]);
        }
        row("together", all);

        let names = operations();
        println!("\noperations in both: {}", names.len());
        names.chunks(7).for_each(|some| println!("  {}", some.join(" ")));
        println!("\nwhat Part 2 does without");
        for (file, text) in ONCE {
            println!("{file:<13}{:>8}", code(text).len());
        }
        Ok(())
    })
}

fn row(what: &str, [part1, part2, both]: [usize; 3]) {
    println!("{what:<13}{part1:>8}{part2:>8}{both:>9}");
}

/// Returns the lines of code: no comments, no tests, no lone brackets.
fn code(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(str::trim);
    let says = |line: &&str| {
        let is_comment = line.starts_with("//") || line.starts_with("#[doc");
        !is_comment && line.contains(char::is_alphanumeric)
    };
    lines.filter(says).collect()
}

/// Counts the lines of `one` that also occur in `other`, in the same order.
fn in_both(one: &[&str], other: &[&str]) -> usize {
    let diff = TextDiff::from_slices(one, other);
    let ops = diff.ops().iter();
    let equal = ops.filter(|op| op.tag() == DiffTag::Equal);
    equal.map(|op| op.new_range().len()).sum()
}

/// Returns the operations that are methods in both parts.
fn operations() -> Vec<&'static str> {
    let mut names = OPERATIONS.to_vec();
    let stands = |part: usize, name: &str| {
        let method = format!("pub fn {name}(");
        TWICE.iter().any(|(_, texts)| texts[part].contains(&method))
    };
    names.retain(|name| stands(0, name) && stands(1, name));
    names
}
