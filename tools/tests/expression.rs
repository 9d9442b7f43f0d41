//! The expression bench as its reader meets it.

use std::process::Command;

/// The exit code and the output of the bench.
fn bench(words: &[&str]) -> (Option<i32>, String) {
    let picture = std::env::temp_dir().join("rungrad-expression.svg");
    let ended = Command::new(env!("CARGO_BIN_EXE_expression"))
        .args(words)
        .arg("--svg")
        .arg(picture)
        .output()
        .expect("the bench starts");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    (ended.status.code(), text)
}

/// At 0 both halves of `abs` stand on a kink, where a nudge sees half a
/// slope; together they agree with it, and that is what counts.
#[test]
fn gradients_that_agree_are_no_error_even_on_a_kink() {
    let (code, text) = bench(&["abs(a)", "a=-1,0,1"]);
    assert!(text.contains("agree"), "{text}");
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn gradients_that_differ_are_an_error() {
    let (code, text) = bench(&["relu(a)", "a=-1,0,1"]);
    assert!(text.contains("DIFFER"), "{text}");
    assert_eq!(code, Some(2), "{text}");
}
