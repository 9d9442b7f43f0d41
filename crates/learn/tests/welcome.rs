//! The bare `cargo learn`: the first visit, later visits, and what is saved.

mod scene;

use scene::Scene;
use scene::stage::stage;

#[test]
fn the_first_visit_is_a_tour_and_later_ones_name_the_next_exercise() {
    let scene = stage();
    let first = scene.learn(&[]);
    for part in ["part1", "part2", "part3", "cargo learn check one"] {
        first.succeeds().prints(part);
    }
    let second = scene.learn(&[]);
    second.succeeds().prints("0 of 2 exercises");
    assert!(!second.out.contains("Welcome"), "{}", second.out);
    let progress = "tour all seen\nexercise one solved\nexercise gone solved\n";
    scene.write(".learn/progress", progress);
    let third = scene.learn(&[]);
    third.succeeds().prints("1 of 2").prints("cargo learn check two");
}

/// Promise: `cargo learn` asks no question without a terminal and then installs
/// nothing.
#[test]
fn without_a_terminal_there_are_no_questions() {
    let scene = Scene::new();
    scene.program("apt-get", "touch $SCENE/called");
    for words in [&[][..], &["setup"]] {
        let said = scene.learn_with_input(words, "y\ny\n");
        said.succeeds().prints("cargo learn setup --yes");
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
    said.succeeds().prints(".learn/progress is damaged").prints("ignored: 2.");
    assert!(!said.out.contains("Welcome"), "{}", said.out);
    std::fs::remove_dir_all(scene.root.join(".learn")).unwrap();
    scene.write(".learn", "a file where a folder should be");
    scene.learn(&[]).succeeds().prints("your progress was not saved");
    scene.write("exercises/exercises.toml", "[[exercise]\n");
    let said = scene.learn(&[]);
    said.fails_with(
        1,
        &["cannot read exercises/exercises.toml", "git checkout"],
    );
}
