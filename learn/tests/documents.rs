//! The documents beside the code name tests, files and commands: all of them
//! exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// What stands between backticks on one line.
fn code_spans(text: &str) -> Vec<String> {
    let outside_of_blocks = text.split("```").step_by(2);
    outside_of_blocks
        .flat_map(str::lines)
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(str::to_string)
        .collect()
}

/// The names of all functions under `folder`, tests included.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let after = text.lines().filter_map(|line| {
                let (_, rest) = line.split_once("fn ")?;
                rest.split(['(', '<']).next()
            });
            names.extend(after.map(str::to_string));
        }
    }
}

#[test]
fn every_test_that_architecture_names_exists() {
    let mut names = BTreeSet::new();
    let folders = ["src", "tests", "learn", "exercises/src", "tools"];
    for folder in folders.into_iter().chain(["mutants/src", "mutants/tests"]) {
        functions(&root().join(folder), &mut names);
    }
    let text = read("ARCHITECTURE.md");
    let (_, promises) = text.split_once("\n## Promises\n").unwrap();
    let (promises, _) = promises.split_once("\n## ").unwrap();
    let rows = promises.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|line| *line != "| promise | test |");
    let mut count = 0;
    for row in rows {
        let tests = code_spans(row.rsplit('|').nth(1).unwrap());
        assert!(!tests.is_empty(), "no test holds this promise: {row}");
        for test in tests {
            assert!(names.contains(&test), "there is no test {test}");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} tests are named");
}

/// A filter that fits no test would pass every night.
#[test]
fn every_test_of_the_night_exists() {
    let text = read(".github/workflows/nightly.yml");
    let rows = text.lines().filter_map(|it| it.trim().strip_prefix("tests: "));
    let rows: Vec<Vec<&str>> =
        rows.map(|row| row.split_whitespace().collect()).collect();
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let after = |sign: &str| {
            let at = row.iter().position(|word| *word == sign)?;
            row.get(at + 1).copied()
        };
        let package = root().join(after("--package").unwrap_or("."));
        let folder = match after("--test") {
            Some(test) => package.join("tests").join(test),
            None => package.join("src"),
        };
        let file = folder.with_extension("rs");
        assert!(folder.is_dir() || file.is_file(), "{row:?}");
        // The names of tests, and of the files that are their modules; some
        // tests are made by a macro.
        let mut text = fs::read_to_string(&file).unwrap_or_default();
        for folder in [folder, package.join("tests/common")] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                text += &entry.file_name().to_string_lossy();
                text += &fs::read_to_string(entry.path()).unwrap_or_default();
            }
        }
        let filter = row.last().unwrap();
        let named = row.len() % 2 == 0 || text.contains(filter);
        assert!(named, "no test is named like {filter}");
    }
}

#[test]
fn every_file_that_a_document_names_exists() {
    for document in DOCUMENTS {
        let text = read(document);
        let links = text.split("](").skip(1).filter_map(|it| {
            let (target, _) = it.split_once(')')?;
            (!target.starts_with("http")).then(|| target.to_string())
        });
        let spans = code_spans(&text).into_iter().filter(|span| {
            let plain =
                |it: char| it.is_ascii_alphanumeric() || "._/-".contains(it);
            span.contains('/') && span.chars().all(plain)
        });
        for name in links.chain(spans) {
            assert!(root().join(&name).exists(), "{document}: no {name}");
        }
    }
}

#[test]
fn every_command_that_a_document_names_exists() {
    let help =
        Command::new(env!("CARGO_BIN_EXE_learn")).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for document in DOCUMENTS {
        for part in read(document).split("cargo learn ").skip(1) {
            let is_letter = |it: char| it.is_ascii_lowercase();
            let end = part.find(|it| !is_letter(it)).unwrap_or(part.len());
            let name = &part[..end];
            let line = format!("  cargo learn {name} ");
            assert!(
                name.is_empty() || help.contains(&line),
                "{document}: there is no `cargo learn {name}`"
            );
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 100, "README.md has {lines} lines");
}

/// A tag can be moved to other code, and a commit cannot.
#[test]
fn every_action_is_pinned_by_its_commit() {
    let mut count = 0;
    let folder = root().join(".github/workflows");
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, pin) = line.split_once('@').expect("an action");
            let (hash, version) = pin.split_once(" # v").expect("its version");
            let is_hex = hash.chars().all(|it| it.is_ascii_hexdigit());
            assert!(hash.len() == 40 && is_hex, "{line}");
            assert!(!version.is_empty(), "{line}");
            count += 1;
        }
    }
    assert!(count > 0, "no workflow uses an action");
}
