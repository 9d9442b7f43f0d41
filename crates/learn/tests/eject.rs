//! `cargo learn eject`: a standalone crate that builds and tests alone.

mod scene;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use scene::stage::{LEVELS_TABLE, stage_with_levels};
use scene::{CommandOutput, PROGRAM, Scene};

/// Returns the first `level` levels of our solution of an exercise.
fn solution(file: &str, level: usize) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let file = root.unwrap().join("exercises/solutions").join(file);
    let text = fs::read_to_string(file).unwrap();
    learn::exercises::levels::solution_at(&text, level).unwrap()
}

/// A learner's folder, which is used with the real checkout.
struct Learner(Scene);

impl Learner {
    /// Returns a learner whose engine is ours up to a level.
    fn at_level(level: usize) -> Learner {
        let learner = Learner(Scene::new());
        learner.0.write(
            "exercises/part1_cpu/my_engine.rs",
            &solution("part1_cpu/my_engine.rs", level),
        );
        let progress = format!("tier my_engine {level}_10\n");
        learner.0.write(".learn/progress", &progress);
        learner
    }

    /// Ejects the engine and returns the folder of the crate.
    fn eject(&self) -> PathBuf {
        let folder = self.0.root.join("my-tensors");
        let mut command = Command::new(PROGRAM);
        command
            .args(["eject", "my_engine"])
            .arg(&folder)
            .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
            .env("RUNGRAD_EXERCISES", self.0.root.join("exercises"));
        CommandOutput::from(&mut command).succeeds();
        folder
    }
}

/// Runs the tests of a crate and returns whether they pass, and the output.
fn test(folder: &Path) -> (bool, String) {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--offline", "--color", "never"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

/// Promise: An engine that was ejected is a crate without dependencies that
/// passes its laws outside of the checkout, and a broken one fails them.
#[test]
fn an_ejected_engine_passes_its_laws_alone_and_a_broken_one_fails() {
    let learner = Learner::at_level(10);
    let folder = learner.eject();
    let (passes, said) = test(&folder);
    assert!(passes, "{said}");
    assert!(said.contains("test a_network_learns_a_circle ... ok"), "{said}");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"my-tensors\""), "{manifest}");
    assert!(!manifest.contains("dependencies"), "{manifest}");
    let mut format = Command::new("cargo");
    let format = format.args(["fmt", "--check"]).current_dir(&folder);
    assert!(format.status().unwrap().success(), "it is not formatted");

    let file = folder.join("src/lib.rs");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("rungrad"), "{text}");
    let broken = text
        .replace("Some(sum) => add_to(sum, &grad)", "Some(sum) => *sum = grad");
    assert_ne!(broken, text);
    fs::write(&file, broken).unwrap();
    let (passes, said) = test(&folder);
    assert!(!passes, "{said}");
    let law = "test gradients_of_all_paths_are_added ... FAILED";
    assert!(said.contains(law), "{said}");
}

#[test]
fn an_engine_of_some_levels_has_their_laws() {
    let learner = Learner::at_level(4);
    let folder = learner.eject();
    let (passes, said) = test(&folder);
    assert!(passes, "{said}");
    assert!(said.contains("test gradients_of_all_paths_are_added ... ok"));
    assert!(!said.contains("softmax"), "{said}");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains("adding gradients."), "{readme}");
    assert!(!readme.contains('@'), "{readme}");
}

#[test]
fn what_is_not_checked_or_already_there_is_not_ejected() {
    let scene = stage_with_levels();
    let eject = |folder| scene.learn(&["eject", "my_engine", folder]);
    eject("mine").fails_with(1, &["0 of the 2 levels", "check my_engine"]);
    scene.learn(&["eject", "one", "mine"]).fails_with(2, &["one cannot be"]);
    let said = scene.learn(&["eject", "my_engine"]);
    said.fails_with(2, &["name a new folder", "eject my_engine FOLDER"]);
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).succeeds();
    scene.learn(&["check", "my_engine"]);
    eject("No Name").fails_with(2, &["\"No Name\" cannot be one"]);
    scene.write("taken/notes.txt", "mine");
    eject("taken").fails_with(1, &["taken already exists"]);
    assert_eq!(scene.read("taken/notes.txt"), "mine");
    let said = scene.learn(&["eject", "my_engine", "a", "--license", "GPL"]);
    said.fails_with(2, &["--license is \"GPL\"", "Apache-2.0"]);
    scene.write("exercises/part1_cpu/my_engine.sh", "echo changed\n");
    eject("mine").fails_with(1, &["has changed since", "check my_engine"]);
    scene.write(".learn/progress", "tier my_engine 2_2\n");
    scene.write(
        "exercises/part1_cpu/my_engine.sh",
        "use rungrad::part1_cpu::Tensor;\n",
    );
    scene.write("src/common/rng.rs", "");
    eject("mine").fails_with(1, &["use rungrad::part1_cpu", "yourself"]);
    assert!(!scene.root.join("mine").exists());
}

/// Returns a checkout in which an exercise with this id is solved.
fn solved(id: &str, file: &str, text: &str) -> Scene {
    let scene = stage_with_levels();
    let row =
        LEVELS_TABLE.replace("my_engine.sh", file).replace("my_engine", id);
    scene.write("exercises/exercises.toml", &row);
    scene.write(&format!("exercises/part1_cpu/{file}"), text);
    scene.write(".learn/progress", &format!("tier {id} 2_2\n"));
    scene.write("LICENSE-MIT", "Copyright (c) 2026 The Rungrad authors\n");
    scene.program("git", "[ $1 = remote ] && echo https://a/b || echo 0a1b");
    scene
}

/// Promise: The crates of a device and of kernels name the commit of Rungrad
/// that they depend on.
#[test]
fn a_device_and_kernels_depend_on_rungrad_at_a_commit() {
    let device = "// my_device: a device.\n\nuse my_engine::delegate;\n\
                  use rungrad::Result;\npub static MINE: Mine = Mine;\n";
    let scene = solved("my_device", "my_device.rs", device);
    let words = ["eject", "my_device", "to/my-device", "--license", "MIT"];
    scene.learn(&words).succeeds().prints("2 of 2 levels pass");
    let manifest = scene.read("to/my-device/Cargo.toml");
    let line = "rungrad = { git = \"https://a/b\", rev = \"0a1b\" }";
    assert!(manifest.contains(line), "{manifest}");
    assert!(manifest.contains("harness = false"), "{manifest}");
    assert!(!manifest.contains("path"), "{manifest}");
    let library = scene.read("to/my-device/src/lib.rs");
    assert!(
        library
            .ends_with("use rungrad::Result;\npub static MINE: Mine = Mine;\n")
    );
    let license = scene.read("to/my-device/LICENSE-MIT");
    assert_eq!(license, "Copyright (c) 2026 The authors of my-device\n");
    assert!(!scene.root.join("to/my-device/LICENSE-APACHE").exists());

    let kernels = "kernel void ew_mul() {}\n";
    let scene = solved("my_kernels", "my_kernels.cl", kernels);
    let words = ["eject", "my_kernels", "to/kernels", "--license", "MIT"];
    let address = ["--git", "https://c/d"];
    scene.learn(&[&words[..], &address].concat()).succeeds();
    assert_eq!(scene.read("to/kernels/src/my_kernels.cl"), kernels);
    let readme = scene.read("to/kernels/README.md");
    assert!(readme.contains("(https://c/d)"), "{readme}");
    scene.program("git", "exit 1");
    scene
        .learn(&["eject", "my_kernels", "to/more", "--license", "MIT"])
        .fails_with(1, &["no git remote `origin`", "--git ADDRESS"]);
}
