//! The functions of `.ci/step`, which `.ci/run` is made of.

#![cfg(target_os = "linux")]

#[path = "../../learn/tests/scene/mod.rs"]
mod scene;

use std::path::Path;
use std::process::Command;

use scene::{Said, Scene, appears, is_gone};

/// Runs lines of bash with the functions of `.ci/run`, and ends as that does.
fn by_ci(lines: &str) -> Said {
    let step = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/step");
    let lines = format!(
        r#"set -euo pipefail
source "{}"
cold=$(mktemp -d)
trap 'end_beside; rm -rf "$cold"' EXIT
{lines}
echo reached"#,
        step.display()
    );
    Said::by(Command::new("bash").args(["-c", &lines]))
}

#[test]
fn a_step_beside_others_is_told_where_it_is_waited_for() {
    // It cannot end before the step behind it has begun.
    let said = by_ci(
        r#"waits='until [ -e "$0" ]; do sleep 0.1; done; echo beside'
limit=60s aside first sh -c "$waits" "$cold/go"
limit=60s step sh -c 'echo > "$0"; echo before' "$cold/go"
join first"#,
    );
    said.went_well();
    let lines = said.out.lines().filter(|line| !line.starts_with(['+', ' ']));
    assert_eq!(lines.collect::<Vec<_>>(), ["before", "beside", "reached"]);
}

#[test]
fn a_step_beside_others_that_fails_ends_the_run() {
    let said = by_ci(
        "limit=60s aside first sh -c 'echo why; exit 3'
limit=60s step true
join first",
    );
    assert_eq!(said.code, Some(3));
    assert!(said.out.lines().any(|line| line == "why"), "{}", said.out);
    assert!(!said.out.contains("reached"), "{}", said.out);
}

#[test]
fn a_step_that_fails_ends_all_that_runs_beside_it() {
    let scene = Scene::new();
    let file = scene.root.join("grandchild");
    let said = by_ci(&format!(
        r#"file="{}"
limit=600s aside first sh -c 'sleep 600 & echo $! > "$0"; wait' "$file"
until [ -s "$file" ]; do sleep 0.1; done
limit=60s step false
join first"#,
        file.display()
    ));
    assert_eq!(said.code, Some(1));
    assert!(!said.out.contains("reached"), "{}", said.out);
    is_gone(&appears(&file));
}
