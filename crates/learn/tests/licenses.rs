//! Every package that is built here has a license of the list in `deny.toml`.
//! Cargo answers from what it has already fetched, so no network is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The list that `cargo deny` reads as well.
fn allowed() -> Vec<String> {
    let text = include_str!("../../../deny.toml");
    let document = toml_span::parse(text).unwrap();
    let list = document.pointer("/licenses/allow").unwrap();
    let names = list.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap().to_string()).collect()
}

/// Each package with its license expression.
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

/// Whether an SPDX expression can be satisfied by licenses of the list. AND
/// binds more tightly than OR; an old `/` means OR; a WITH names an exception,
/// which must stand on the list together with its license.
fn is_satisfied(expression: &str, allowed: &[String]) -> bool {
    let spaced =
        expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any_of(&mut rest, allowed) && rest.is_empty()
}

fn any_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut satisfied = all_of(words, allowed);
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        satisfied |= all_of(words, allowed);
    }
    satisfied
}

fn all_of(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut satisfied = one(words, allowed);
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        satisfied &= one(words, allowed);
    }
    satisfied
}

fn one(words: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    if *first == "(" {
        let satisfied = any_of(words, allowed);
        let closes = words.first() == Some(&")");
        *words = words.get(1..).unwrap_or_default();
        return satisfied && closes;
    }
    let mut name = first.to_string();
    if words.first() == Some(&"WITH") && words.len() > 1 {
        name = format!("{name} WITH {}", words[1]);
        *words = &words[2..];
    }
    allowed.contains(&name)
}

/// Promise: Every dependency has a license from `deny.toml`.
#[test]
fn every_package_has_a_license_of_the_list() {
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
fn every_license_of_the_list_is_used() {
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
fn expressions_are_read_as_spdx_means_them() {
    let allowed = ["MIT".to_string(), "Unicode-3.0".to_string()];
    let yes = [
        "MIT",
        "MIT OR Apache-2.0",
        "Apache-2.0/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "GPL-3.0 AND BSD OR MIT",
    ];
    for expression in yes {
        assert!(is_satisfied(expression, &allowed), "{expression}");
    }
    let no = [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "Apache-2.0 OR GPL-3.0 AND MIT",
        "(MIT OR Apache-2.0) AND OpenSSL",
        "MIT WITH some-exception",
        "MIT MIT",
        "(MIT",
        "mit",
    ];
    for expression in no {
        assert!(!is_satisfied(expression, &allowed), "{expression}");
    }
}
