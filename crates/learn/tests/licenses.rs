//! Checks that every package built here has a license that `deny.toml` allows.
//! Cargo answers offline from what it has already downloaded.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Returns the allowed licenses from the file that `cargo deny` also reads.
fn allowed() -> Vec<String> {
    let text = include_str!("../../../deny.toml");
    let document = toml_span::parse(text).unwrap();
    let list = document.pointer("/licenses/allow").unwrap();
    let names = list.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap().to_string()).collect()
}

/// Returns each package with its license expression.
fn packages() -> BTreeMap<String, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--workspace"])
        .args(["--edges", "normal,build,dev", "--prefix", "none"])
        .args(["--format", "{p}|{l}|"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            (fields[0].to_string(), fields[1].to_string())
        })
        .collect()
}

/// Returns whether the listed licenses satisfy an SPDX expression of the form
/// `A OR B AND C` or `(A OR B) AND C`. An old `/` means OR.
fn is_satisfied(expression: &str, allowed: &[String]) -> bool {
    let is_allowed = |name: &str| {
        allowed.iter().any(|it| it == name.trim_matches(['(', ')']))
    };
    let text = expression.replace('/', " OR ");
    match text.contains('(') {
        true => {
            text.split(" AND ").all(|any| any.split(" OR ").any(is_allowed))
        }
        false => {
            text.split(" OR ").any(|all| all.split(" AND ").all(is_allowed))
        }
    }
}

/// Promise: Every dependency has a license from `deny.toml`.
#[test]
fn every_package_has_an_allowed_license() {
    let allowed = allowed();
    let packages = packages();
    for name in ["ndarray", "ocl", "learn", "pretty_assertions"] {
        let is_it = |it: &String| it.starts_with(&format!("{name} v"));
        assert!(packages.keys().any(is_it), "cargo named no {name}");
    }
    let refused: Vec<String> = packages
        .iter()
        .filter(|(_, license)| !is_satisfied(license, &allowed))
        .map(|(package, license)| format!("{package}: {license:?}"))
        .collect();
    assert!(
        refused.is_empty(),
        "not on the list of deny.toml ({}): {refused:#?}",
        allowed.join(", ")
    );
}

#[test]
fn every_allowed_license_is_used() {
    let packages = packages();
    let used: BTreeSet<&str> = packages
        .values()
        .flat_map(|license| license.split([' ', '/', '(', ')']))
        .collect();
    let allowed = allowed();
    let unused: Vec<&String> =
        allowed.iter().filter(|name| !used.contains(name.as_str())).collect();
    assert_eq!(unused, Vec::<&String>::new());
}

#[test]
fn license_expressions_follow_spdx() {
    let allowed = ["MIT", "Unicode-3.0"].map(String::from);
    for (expression, expected) in [
        ("MIT", true),
        ("Apache-2.0/MIT", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("GPL-3.0 AND BSD OR MIT", true),
        ("", false),
        ("MIT AND GPL-3.0", false),
        ("Apache-2.0 OR GPL-3.0 AND MIT", false),
        ("(MIT OR Apache-2.0) AND OpenSSL", false),
        ("MIT WITH some-exception", false),
    ] {
        assert_eq!(
            is_satisfied(expression, &allowed),
            expected,
            "{expression}"
        );
    }
}
