//! The command line: commands, flags, and the answers to wrong ones.

mod scene;

use std::process::Stdio;

use scene::stage::{ONE, SOLVED, stage};
use scene::{CommandOutput, Scene};

/// Promise: An unknown command gives one sentence with the nearest known
/// command, if one is near, and exit code 2.
#[test]
fn an_unknown_command_names_the_nearest() {
    let said = Scene::new().learn(&["stup"]);
    said.fails_with(2, &["`cargo learn stup`", "did you mean setup?"]);
    assert_eq!(said.out, "");
    let said = Scene::new().learn(&["submit"]);
    said.fails_with(2, &["`cargo learn submit`; `cargo learn help`"]);
}

/// Promise: Options are checked before anything is compiled.
#[test]
fn a_wrong_option_compiles_nothing() {
    let scene = Scene::new();
    scene.program("cargo", "echo \"$*\" >> $SCENE/calls");
    for (words, said) in [
        (&["bench", "--fast"][..], "no option --fast"),
        (&["bench", "--device", "tpu"], "it can be cpu, gpu, gpu:N"),
        (&["profile", "matmul", "--cart", "t4"], "did you mean --card?"),
        (&["profile", "matmul", "--warp", "16"], "it can be 32, 64"),
        (&["try", "a*b", "a=1", "b=2", "--engine", "part4"], "part3, mine"),
        (&["test", "--fast"], "no option --fast"),
    ] {
        scene.learn(words).fails_with(2, &[said]);
    }
    assert_eq!(scene.read("calls"), "");
}

#[test]
fn every_command_of_the_overview_has_a_page() {
    let scene = Scene::new();
    let overview = scene.learn(&["help"]).succeeds().out.clone();
    let names: Vec<&str> = overview
        .lines()
        .filter_map(|line| line.strip_prefix("  cargo learn "))
        .filter_map(|rest| rest.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.contains(&"setup") && names.contains(&"test"), "{names:?}");
    for name in names {
        let page = scene.learn(&["help", name]);
        page.succeeds().prints(&format!("cargo learn {name}"));
        let same = scene.learn(&[name, "--help"]);
        assert_eq!(same.succeeds().out, page.out);
    }
    assert_eq!(scene.learn(&["--help"]).succeeds().out, overview);
}

#[test]
fn an_unknown_flag_names_the_nearest() {
    let scene = Scene::new();
    scene.learn(&["setup", "--yess"]).fails_with(2, &["--yess", "--yes"]);
    scene.learn(&["doctor", "--fast"]).fails_with(2, &["--fast"]);
    scene.learn(&["doctor", "me"]).fails_with(2, &["\"me\""]);
    scene
        .learn(&["run", "--device"])
        .fails_with(2, &["--device needs a value"]);
}

/// The tests replace the process, so that their exit code and signals are
/// passed on.
#[test]
fn the_tests_are_run_by_xtask() {
    let scene = Scene::new();
    scene.program("cargo", "echo \"$*\"; echo $$ > $SCENE/id; exit 7");
    let mut command = scene.command(&["test", "--all", "--only", "docs"]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let id = child.id().to_string();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    let words = "run --quiet --package xtask --profile learn -- test --all \
                 --only docs\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), words);
    assert_eq!(scene.read("id").trim(), id);
}

#[test]
fn a_closed_output_causes_no_backtrace() {
    let scene = Scene::new();
    let mut command = scene.command(&["help"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

/// A partial verdict must not look like a whole one.
///
/// Promise: A command whose output cannot be read to the end exits with code
/// 1.
#[test]
fn a_verdict_that_cannot_be_printed_is_a_failure() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    let said = scene.learn(&["check", "one"]);
    said.succeeds();
    for words in [&["check", "one"][..], &["setup"]] {
        // The reader has gone before the first word.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = scene.command(words).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{words:?}");
    }
}

/// Promise: Output that cannot be written is an error with one sentence.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_error_with_a_sentence() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    for words in [&["check", "one"][..], &["help"], &["list"]] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut command = scene.command(words);
        let said = CommandOutput::from(command.stdout(full));
        said.fails_with(1, &["No space left", "enough room"]);
    }
}

#[test]
fn outside_the_checkout_the_error_says_where_to_start() {
    let scene = Scene::new();
    let mut command = scene.command(&["doctor"]);
    command.env("CARGO_MANIFEST_DIR", scene.root.join("lib/nowhere/learn"));
    CommandOutput::from(&mut command)
        .fails_with(1, &["not inside the course's folder"]);
}

#[test]
fn an_unwritable_folder_is_named() {
    let scene = Scene::new();
    scene.write("target", "a file where a folder should be");
    scene.program("cargo", "exit 0");
    scene.write("examples/part1_a.rs", "//! A.\nfn main() {}\n");
    let said = scene.learn(&["run", "part1_a"]);
    said.fails_with(1, &["cannot write", "target", "CARGO_TARGET_DIR"]);
}

/// Promise: `cargo learn` uses its own build folder, so it never waits for a
/// different build.
#[test]
fn the_companion_has_a_separate_build_folder() {
    let config = include_str!("../../../.cargo/config.toml");
    assert!(config.contains("--package learn --profile learn --"), "{config}");
    let manifest = include_str!("../../../Cargo.toml");
    assert!(manifest.contains("[profile.learn]"));
}
