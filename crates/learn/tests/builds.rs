//! Checks that the commands share their builds. If a package is built with
//! different features for a different command, it and everything that depends
//! on it are compiled again.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Returns the packages that this selection builds, each with its features.
fn packages(selection: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--format", "{p} {f}"])
        .args(selection)
        .current_dir(
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap(),
        )
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("plain text");
    let lines = text.lines().map(|it| it.trim_end_matches(" (*)").trim_end());
    lines.map(str::to_string).collect()
}

/// Promise: Tests, checks and tools share one build of the crate.
#[test]
fn tests_checks_and_tools_share_one_build_of_the_crate() {
    let all = packages(&["--workspace", "--edges", "normal,dev,build"]);
    for package in ["rungrad", "exercises", "tools"] {
        let own = packages(&["--package", package, "--edges", "normal,build"]);
        let again: Vec<_> = own.difference(&all).collect();
        assert!(own.len() > 20 && again.is_empty(), "{package}: {again:?}");
    }
    // `cargo learn test` builds these one after the other.
    let others = "--workspace --exclude rungrad --exclude learn";
    for row in ["--package rungrad", "--package learn", others] {
        let row: Vec<&str> = row.split(' ').collect();
        let own =
            packages(&[&row, &["--edges", "normal,dev,build"][..]].concat());
        // The tests of `learn` use the part of `testkit` that needs no engine.
        let is_small = |it: &&String| it.starts_with("testkit ");
        let mut again = own.difference(&all).filter(|it| !is_small(it));
        assert_eq!(again.next(), None, "{row:?}");
    }
}

/// This is the first command in a fresh clone. It should compile Part 1 and
/// little else, and later commands must reuse its dependencies.
///
/// Promise: The first `cargo learn try` compiles at most 50 packages and
/// compiles none of them again later.
#[test]
fn the_light_build_compiles_part_1_and_few_packages() {
    let light = ["--package", "tools", "--no-default-features"];
    let own = packages(&[&light[..], &["--edges", "normal,build"]].concat());
    assert!(own.len() <= 50, "{} packages: {own:?}", own.len());
    for heavy in ["ocl ", "serde_json ", "safetensors ", "profile "] {
        let is_heavy = |it: &&String| it.starts_with(heavy);
        assert_eq!(own.iter().find(is_heavy), None);
    }
    // So do the checks of Part 1 and of the kernels.
    let part1 = ["--package", "exercises", "--no-default-features"];
    let kernels = [&part1[..], &["--features", "opencl"]].concat();
    let all = packages(&["--workspace", "--edges", "normal,dev,build"]);
    for selection in [&light[..], &part1, &kernels] {
        let own = packages(&[selection, &["--edges", "normal,build"]].concat());
        let is_ours = |it: &&String| {
            ["rungrad ", "tools ", "exercises "]
                .iter()
                .any(|name| it.starts_with(name))
        };
        let mut again = own.difference(&all).filter(|it| !is_ours(it));
        assert_eq!(again.next(), None, "{selection:?} compiles it again");
    }
}
