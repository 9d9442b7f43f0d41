//! What a day leaves of the programs of the book. To run them all is minutes,
//! most of them a driver's, which compiles their kernels. So `cargo learn test`
//! runs a program whose own text has not changed on one day of two weeks, and
//! each night runs all; so does what a push starts that changes the library.

use std::path::Path;
use std::{env, fs};

use super::program::program;
use crate::tree::Tree;

/// The days in which all comes round.
const ROUND: u64 = 14;

/// Whether today leaves this command, whose output stands in this file.
/// `RUNGRAD_DAY` has a line for each file that has changed, and `RUNGRAD_TODAY`
/// the number of the day; without them all is run, and so where somebody
/// writes the listings anew.
pub(crate) fn leaves(command: &str, out: &str) -> bool {
    let changed = env::var("RUNGRAD_DAY").ok();
    let today = env::var("RUNGRAD_TODAY").ok().and_then(|it| it.parse().ok());
    match (changed, today) {
        (Some(changed), Some(today)) if !crate::updates() => {
            is_left(command, out, &changed, today)
        }
        _ => false,
    }
}

/// The name of the output, where today leaves it.
pub(crate) fn left(command: &str, out: &str) -> Option<String> {
    let name = Path::new(out).file_stem()?.to_str()?;
    leaves(command, out).then(|| name.to_string())
}

/// Whether this day leaves it, where these files have changed.
pub(crate) fn is_left(
    command: &str,
    out: &str,
    changed: &str,
    today: u64,
) -> bool {
    let name = program(command).map(|it| it.file).unwrap_or_default();
    let is_its_day = day(&name) == today % ROUND;
    let is_its = |file: &str| file == out || matters(file, &name);
    !is_its_day && !changed.lines().any(is_its)
}

/// The day of a program, whatever its words: it is built once, and so are its
/// kernels. The factor is one that gives each of the dearest a day of its own.
fn day(program: &str) -> u64 {
    let add = |number: u64, byte: u8| {
        number.wrapping_mul(1553).wrapping_add(u64::from(byte))
    };
    program.bytes().fold(0, add) % ROUND
}

/// Whether a file is one of those of which the program `examples/NAME` alone is
/// made: its own, one in its folder, or one in another's folder that it names.
fn matters(file: &str, program: &str) -> bool {
    let Some(name) = program.strip_prefix("examples/") else { return false };
    let Some(of_examples) = file.strip_prefix("examples/") else {
        return false;
    };
    match of_examples.split_once('/') {
        None => of_examples.strip_suffix(".rs") == Some(name),
        Some((folder, _)) if folder == name => true,
        Some(_) => texts(name).any(|text| text.contains(of_examples)),
    }
}

/// Reads where a program begins: in a file, or in a folder.
fn texts(name: &str) -> impl Iterator<Item = String> {
    let examples = Tree::root().join("examples");
    let files = [format!("{name}.rs"), format!("{name}/main.rs")];
    files
        .into_iter()
        .filter_map(move |it| fs::read_to_string(examples.join(it)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "cargo run --example part1_mul";
    const OUT: &str = "book/listings/part1_mul.out";

    fn days(changed: &str) -> usize {
        (0..ROUND).filter(|&day| !is_left(COMMAND, OUT, changed, day)).count()
    }

    /// Each takes half a minute of a processor, or a whole one.
    #[test]
    fn no_day_has_two_of_the_dearest_programs() {
        let mut days = [
            "examples/part1_digits",
            "examples/part2_crossover",
            "examples/part3_filters",
            "examples/part3_shakespeare",
            "examples/part3_training",
            "profile",
        ]
        .map(day);
        days.sort_unstable();
        assert!(days.is_sorted_by(|a, b| a < b), "{days:?}");
    }

    #[test]
    fn a_program_runs_on_one_day_of_two_weeks_and_where_it_has_changed() {
        let others = "README.md\nbook/src/a.md\ntests/sums.rs\n\
                      tools/tests/bench.rs\nsrc/lib.rs\n\
                      kernels/part2/ew_mul.cl\nCargo.lock\n\
                      examples/part1_digits/training.rs\n\
                      examples/part1_sum.rs\nbook/listings/part1_sum.out\n";
        assert_eq!(days(others), 1);
        assert_eq!(days(""), 1);
        for own in [OUT, "examples/part1_mul.rs", "examples/part1_mul/it.rs"] {
            let all = days(&format!("{others}{own}"));
            assert_eq!(all, ROUND as usize, "{own}");
        }
    }

    #[test]
    fn what_a_program_takes_from_the_folder_of_another_is_its_own() {
        let shared = "examples/part3_names/training.rs";
        assert!(matters(shared, "examples/part3_names"));
        assert!(matters(shared, "examples/part3_shakespeare"));
        assert!(!matters(shared, "examples/part3_digits"));
        assert!(!matters(
            "examples/part3_names/main.rs",
            "examples/part3_inside"
        ));
    }
}
