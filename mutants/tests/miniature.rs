//! The whole tool on a crate of two functions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of the miniature, with a file that explains survivors.
fn miniature(name: &str, survivors: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/miniature");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    let files = ["Cargo.toml", "Cargo.lock", "src/lib.rs", "tests/above.rs"];
    for file in files {
        let place = to.join(file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(from.join(file), place).unwrap();
    }
    fs::create_dir_all(to.join("mutants")).unwrap();
    fs::write(to.join("mutants/survivors.txt"), survivors).unwrap();
    to
}

/// What the tool says, and its exit code.
fn mutants(root: &Path, words: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mutants"));
    command.arg("--root").arg(root).args(words);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    (text, output.status.code().unwrap())
}

const EQUAL: &str = "\
src/lib.rs: > to >=
    if a > b { a } else { b }
    Of two equal numbers either one is given.
";

/// Promise: The mutation tool reports a surviving mutant with its file and
/// line.
#[test]
fn the_one_that_no_test_notices_is_shown_with_its_place() {
    let root = miniature("shown", "");
    let (text, code) = mutants(&root, &[]);
    let survivors = text.matches("survives 1 tests").count();
    assert_eq!(survivors, 1, "{text}");
    assert!(text.contains("--one src/lib.rs:5:10"), "{text}");
    assert!(text.contains("\n+     if a >= b { a } else { b }\n"), "{text}");
    assert!(text.contains(&EQUAL[..EQUAL.rfind("    ").unwrap()]), "{text}");
    assert!(text.contains("5 mutants: 4 caught, 1 survived"), "{text}");
    assert_eq!(code, 0, "of few, two may survive: {text}");
}

/// Promise: A mutant with an explanation is left out, and an explanation of a
/// missing line is reported.
#[test]
fn one_that_is_explained_is_not_planted_and_a_stale_word_is_told() {
    let stale = "\nsrc/lib.rs: < to <=\n    if a < b\n    It was once.\n";
    let root = miniature("explained", &(EQUAL.to_owned() + stale));
    let (text, code) = mutants(&root, &["--only", "src/lib.rs"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("4 mutants: 4 caught, 0 survived"), "{text}");
    let told = "survivors.txt is stale: nowhere is src/lib.rs: < to <= in";
    assert!(text.contains(told), "{text}");
    let report = root.join("target/mutants/report.txt");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("caught by above: a_number_comes"), "{report}");
}

/// Promise: An explained mutant that a test catches is reported.
#[test]
fn an_explanation_is_tried_and_a_false_one_is_told() {
    let root = miniature("tried", EQUAL);
    let (text, code) = mutants(&root, &["--explained", "--count", "0"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 mutants: 0 caught, 1 survived"), "{text}");
    assert!(text.contains("1 of these are explained"), "{text}");
    let report = root.join("target/mutants/report.txt");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("Of two equal numbers"), "{report}");
    let more = "\nsrc/lib.rs: > to >=\n    if number > limit {\n    Why not.\n";
    let list = root.join("mutants/survivors.txt");
    fs::write(list, EQUAL.to_owned() + more).unwrap();
    let (text, code) = mutants(&root, &["--explained"]);
    assert_eq!(code, 1, "{text}");
    let told = "survivors.txt is wrong: above: a_number_comes_with_its_\
                neighbor notices src/lib.rs:12:19: > to >=";
    assert!(text.contains(told), "{text}");
}

/// The first test fails once for each mutant; and each run has a folder of its
/// own, which goes with it.
#[test]
fn a_test_that_fails_once_notices_nothing() {
    let root = miniature("once", EQUAL);
    let test = "\
#[test]
fn it_is_quiet_here() {
    miniature::above(&[1, 3, 2, 4], 2);
    let folder = std::path::PathBuf::from(
        std::env::var_os(\"RUNGRAD_SCRATCH\").unwrap(),
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::write(folder.join(\"mine\"), \"\").unwrap();
    if let Ok(mutant) = std::env::var(\"RUNGRAD_MUTANT\") {
        let tried = folder.join(\"../..\").join(mutant);
        let again = tried.exists();
        std::fs::write(tried, \"\").unwrap();
        assert!(again);
    }
}
";
    fs::write(root.join("tests/quiet.rs"), test).unwrap();
    let words = ["--explained", "--count", "0", "--jobs", "2"];
    let (text, code) = mutants(&root, &words);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 mutants: 0 caught, 1 survived"), "{text}");
    let left = root.join("target/mutants/tree/target/scratch");
    assert_eq!(fs::read_dir(left).unwrap().count(), 0);
}

#[test]
fn a_part_of_a_kernel_may_be_beyond_the_tests() {
    let part = "kernels/tile.cl: any\n    #if CORES\n    Why.\n";
    let root = miniature("beyond", part);
    let text = "#if CORES\nx = a + b;\n#else\nx = a + b;\n#endif\n";
    fs::create_dir_all(root.join("kernels")).unwrap();
    fs::write(root.join("kernels/tile.cl"), text).unwrap();
    let (text, code) = mutants(&root, &["--list"]);
    assert_eq!(code, 0, "{text}");
    let told = "are left out, kernels/tile.cl: any in #if CORES: Why.";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("kernels/tile.cl:4:"), "{text}");
    assert!(!text.contains("kernels/tile.cl:2:"), "{text}");
    let (text, code) = mutants(&root, &["--explained", "--list"]);
    assert!(text.contains("No mutant is there"), "{text}");
    assert_eq!(code, 1, "{text}");
}

#[test]
fn a_kernel_is_mutated_behind_what_stands_in_front_of_it() {
    let root = miniature("kernel", "");
    let library = root.join("src/lib.rs");
    let mut text = fs::read_to_string(&library).unwrap();
    text += "pub mod opencl {\n    pub mod program;\n}\n";
    let loader = "\
use std::ffi::CString;
pub fn compiled(text: &str) -> String {
    let text = CString::new(text).map_err(|_| \"no byte is 0\");
    text.unwrap().into_string().unwrap()
}
";
    let test = "\
#[test]
fn a_sum_is_a_sum() {
    let tile = include_str!(\"../kernels/tile.cl\");
    let text = miniature::opencl::program::compiled(&(\"#\\n\".to_owned() + tile));
    assert!(text.ends_with(\"x = a + b;\\n\"), \"{text}\");
}
";
    fs::write(library, text).unwrap();
    for folder in ["kernels", "src/opencl"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("kernels/tile.cl"), "// Ours.\nx = a + b;\n").unwrap();
    fs::write(root.join("src/opencl/program.rs"), loader).unwrap();
    fs::write(root.join("tests/kernel.rs"), test).unwrap();
    let (text, code) = mutants(&root, &["--only", "kernels"]);
    assert!(text.contains("1 mutants: 1 caught, 0 survived"), "{text}");
    assert_eq!(code, 0, "{text}");
}

/// Promise: A mutant that once escaped is planted in every run and must be
/// caught.
#[test]
fn one_that_is_listed_must_be_planted_and_caught() {
    let root = miniature("listed", EQUAL);
    let planted = root.join("mutants/planted.txt");
    fs::write(&planted, EQUAL).unwrap();
    let (text, code) = mutants(&root, &["--count", "0"]);
    assert!(text.contains("1 mutants: 0 caught"), "{text}");
    assert_eq!(code, 1, "it survives: {text}");
    fs::write(&planted, "src/lib.rs: > to >=\n    if a > c\n").unwrap();
    let (text, code) = mutants(&root, &[]);
    assert!(text.contains("planted.txt is stale"), "{text}");
    assert_eq!(code, 1);
}

#[test]
fn a_prepared_folder_is_tried_in_parts_and_without_cargo() {
    let root = miniature("prepared", "");
    let folder = root.join("target/away");
    let place = folder.to_str().unwrap();
    let (text, code) = mutants(&root, &["--prepare", place]);
    assert_eq!(code, 0, "{text}");
    let built = root.join("target/mutants/tree");
    assert!(text.trim_end().ends_with(built.to_str().unwrap()), "{text}");
    let tried = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mutants"));
        command.env("CARGO", "nowhere").args(["--prepared", place]);
        let output = command.args(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).unwrap(), output.status.code().unwrap())
    };
    let (text, code) = tried(&[]);
    assert!(text.contains("where there is another copy"), "{text}");
    assert_eq!(code, 1, "{text}");
    // As on another machine: what was built is gone. A link to somebody else's
    // tree is made anew.
    fs::remove_dir_all(root.join("target/mutants")).unwrap();
    let (text, code) = tried(&["--minutes", "0"]);
    assert!(text.contains("0 mutants: 0 caught"), "{text}");
    assert_eq!(code, 1, "{text}");
    fs::remove_file(&built).unwrap();
    std::os::unix::fs::symlink(&root, &built).unwrap();

    let (text, code) = tried(&["--minutes", "0"]);
    assert!(text.contains("The time is over: 5 are left"), "{text}");
    assert!(text.contains("0 mutants: 0 caught"), "{text}");
    assert_eq!(code, 1, "{text}");
    let (text, code) = tried(&["--count", "2"]);
    assert!(text.contains("\n2 mutants: "), "{text}");
    assert_eq!(code, 0, "{text}");
    let found = || fs::read_to_string(folder.join("fates.txt")).unwrap();
    assert_eq!(found().lines().count(), 2);
    let (text, code) = tried(&[]);
    assert!(text.contains("5 mutants: 4 caught, 1 survived"), "{text}");
    assert_eq!(code, 0, "{text}");
    assert_eq!(found().lines().count(), 5, "each is tried once");
    let report = fs::read_to_string(folder.join("report.txt")).unwrap();
    assert!(report.contains("caught by above: a_number_comes"), "{report}");
    assert!(
        report.contains("\n+     if a >= b { a } else { b }\n"),
        "{report}"
    );
}

#[test]
fn wrong_words_end_with_2_and_a_sentence() {
    let root = Path::new("nowhere");
    let (text, code) = mutants(root, &["--counts"]);
    assert_eq!((text.lines().count(), code), (1, 2), "{text}");
    let (text, code) = mutants(root, &["--count", "many"]);
    assert_eq!((text.lines().count(), code), (1, 2), "{text}");
    let (text, code) = mutants(root, &["--seed"]);
    assert_eq!((text.lines().count(), code), (1, 2), "{text}");
}
