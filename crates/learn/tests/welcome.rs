//! The bare `cargo learn`: the first visit, the later ones, and what it keeps.

mod scene;

use scene::Scene;
use scene::stage::stage;

#[test]
fn the_first_visit_is_a_tour_and_the_next_leads_to_the_next_exercise() {
    let scene = stage();
    let first = scene.learn(&[]);
    for part in ["part1", "part2", "part3", "cargo learn check one"] {
        first.went_well().tells(part);
    }
    let second = scene.learn(&[]);
    second.went_well().tells("0 of 2 exercises");
    assert!(!second.out.contains("Welcome"), "{}", second.out);
    let progress = "tour all seen\nexercise one solved\nexercise gone solved\n";
    scene.write(".learn/progress", progress);
    let third = scene.learn(&[]);
    third.went_well().tells("1 of 2").tells("cargo learn check two");
}

/// Promise: `cargo learn` asks no question without a terminal and then installs
/// nothing.
#[test]
fn nobody_is_asked_without_a_terminal() {
    let scene = Scene::new();
    scene.program("apt-get", "touch $SCENE/called");
    for words in [&[][..], &["setup"]] {
        let said = scene.typed(words, "y\ny\n");
        said.went_well().tells("cargo learn setup --yes");
        assert!(!said.out.contains("[y/N]"), "{}", said.out);
        assert!(!scene.root.join("called").exists());
    }
}

#[test]
fn damaged_files_are_named() {
    let scene = stage();
    let bytes = b"tour all seen\n\xff\xfe \x00\nexercise p1_mul\n";
    std::fs::create_dir_all(scene.root.join(".learn")).unwrap();
    std::fs::write(scene.root.join(".learn/progress"), bytes).unwrap();
    let said = scene.learn(&[]);
    said.went_well().tells(".learn/progress is damaged").tells("(lines: 2)");
    assert!(!said.out.contains("Welcome"), "{}", said.out);
    std::fs::remove_dir_all(scene.root.join(".learn")).unwrap();
    scene.write(".learn", "a file where a folder should be");
    scene.learn(&[]).went_well().tells("your progress is not kept");
    scene.write("exercises/exercises.toml", "[[exercise]\n");
    let said = scene.learn(&[]);
    said.stopped(1, &["cannot read exercises/exercises.toml", "git checkout"]);
}
