//! `cargo learn update`: a new edition of the course changes no line that a
//! learner wrote. The course is a git repository in a temporary folder, so no
//! test needs a network.

mod scene;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use scene::Scene;
use scene::stage::{CARGO, ONE, SOLVED, TO_DO, TWO, source, stage, status};

const THREE: &str = "exercises/part1_cpu/three.rs";

/// Runs git in a folder without the settings of the user.
fn run_git(folder: &Path, words: &str) -> Output {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
    command.args(words.split(' ')).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.output().expect("git runs")
}

#[track_caller]
fn git(folder: &Path, words: &str) -> String {
    let output = run_git(folder, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Creates a checkout with two exercises, whose repository is in `upstream`. It
/// has the `.gitignore` of the course.
fn cloned_stage() -> Scene {
    let scene = stage();
    scene.program("git", "exec git \"$@\"");
    // After a pull, the companion calls `cargo learn`.
    let restart = "[ \"$1\" = learn ] && { shift
                   export CARGO_MANIFEST_DIR=$SCENE/crates/learn
                   exec \"$LEARN\" \"$@\"; }";
    scene.program("cargo", &format!("{restart}\n{CARGO}"));
    for file in [ONE, TWO] {
        fs::remove_file(scene.root.join(file)).unwrap();
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let ignored = repository.unwrap().join(".gitignore");
    let ignored = fs::read_to_string(ignored).unwrap();
    scene.write(".gitignore", &ignored);
    git(&scene.root, "init --quiet --initial-branch main");
    git(&scene.root, "add .gitignore Cargo.toml exercises crates");
    git(&scene.root, "commit --quiet -m first");
    git(&scene.root, "clone --quiet --bare . upstream");
    git(&scene.root, "remote add origin upstream");
    git(&scene.root, "fetch --quiet origin");
    git(&scene.root, "branch --quiet --set-upstream-to origin/main");
    scene
}

/// Publishes a new edition with these files.
fn publish(scene: &Scene, files: &[(&str, &str)]) {
    let author = scene.root.join("author");
    if !author.exists() {
        git(&scene.root, "clone --quiet upstream author");
    }
    for (file, text) in files {
        scene.write(&format!("author/{file}"), text);
    }
    git(&author, "add .");
    git(&author, "commit --quiet -m edition");
    git(&author, "push --quiet");
}

/// Publishes an edition in which both tasks and the check of `one` have
/// changed, and a third exercise is new.
fn publish_edition(scene: &Scene) {
    let table = scene.read("exercises/exercises.toml");
    let (_, row) = table.split_once("\n[[exercise]]").unwrap();
    let (row, _) = row.split_once("\n[[exercise]]").unwrap();
    let row = row.replace("'one'", "'three'").replace("/one.", "/three.");
    let new = source("# Better words.\nexit 3\n", SOLVED);
    publish(
        scene,
        &[
            ("exercises/solutions/part1_cpu/one.rs", &new),
            ("exercises/solutions/part2_gpu/two.cl", &new),
            ("exercises/solutions/part1_cpu/three.rs", &new),
            ("exercises/checks/one.rs", "fn stricter() {}\n"),
            ("exercises/checks/three.rs", ""),
            (
                "exercises/exercises.toml",
                &format!("{table}\n[[exercise]]{row}"),
            ),
        ],
    );
}

fn update(scene: &Scene, words: &[&str]) -> scene::CommandOutput {
    let mut command = scene.command(&[&["update"], words].concat());
    scene::CommandOutput::from(command.env("LEARN", scene::PROGRAM))
}

#[test]
fn any_command_creates_the_missing_files() {
    for words in [&[][..], &["list"], &["check", "one"], &["reset", "one"]] {
        let scene = cloned_stage();
        scene.learn(words);
        assert_eq!(scene.read(ONE), TO_DO, "{words:?}");
        assert!(scene.read(TWO).contains("TODO(two)"), "{words:?}");
    }
}

/// Promise: An update of the course keeps what a learner wrote, their progress
/// and their backups.
#[test]
fn an_edition_keeps_solved_files_and_progress() {
    let scene = cloned_stage();
    scene.learn(&["list"]).succeeds();
    scene.write(ONE, "# Half.\nexit 1\n");
    scene.learn(&["reset", "one", "--yes"]).succeeds();
    let mine = format!("# Mine.\n{SOLVED}");
    scene.write(ONE, &mine);
    scene.learn(&["check", "one"]).succeeds();
    assert_eq!(git(&scene.root, "status --porcelain exercises .learn"), "");

    publish_edition(&scene);
    let said = update(&scene, &[]);
    said.succeeds()
        .prints("New commits: 1.")
        .prints("New exercises: three.")
        .prints("  cargo learn diff one --task")
        .prints("Solved, but the file or its check has changed since: one.");
    assert!(!said.out.contains("diff two"), "{}", said.out);
    assert_eq!(scene.read(ONE), mine);
    assert_eq!(scene.read(TWO), "# Better words.\nexit 3\n");
    assert_eq!(scene.read(THREE), scene.read(TWO));
    assert_eq!(scene.read(".learn/backups/one-1.rs"), "# Half.\nexit 1\n");
    assert_eq!(status(&scene, "one"), "stale");

    let said = scene.learn(&["diff", "one", "--task"]);
    said.succeeds().prints("+# Better words.");
    let said = scene.learn(&["check", "--solved"]);
    said.succeeds().prints("solved    one\n\n1 of 1 solved exercises still");
    assert_eq!(status(&scene, "one"), "solved");
    let said = update(&scene, &[]);
    said.succeeds()
        .prints("This is the newest edition.")
        .prints("Nothing that you have written is affected.");
    scene.learn(&["diff", "one", "--task"]).prints("has not changed");
}

/// Promise: `git pull` never conflicts with what a learner wrote.
#[test]
fn git_pull_does_not_conflict_with_a_learners_files() {
    let scene = cloned_stage();
    scene.learn(&["list"]).succeeds();
    scene.write(ONE, "# Half.\nexit 1\n");
    publish_edition(&scene);
    git(&scene.root, "pull --quiet --ff-only");
    let said = update(&scene, &["--no-pull"]);
    said.succeeds().prints("New exercises: three.").prints("diff one --task");
    assert_eq!(scene.read(ONE), "# Half.\nexit 1\n");
    scene.learn(&["reset", "one", "--yes"]).succeeds();
    let said = update(&scene, &["--no-pull"]);
    said.succeeds().prints("Nothing that you have written is affected.");
}

#[test]
fn a_comment_in_a_check_makes_nothing_stale() {
    let scene = cloned_stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    publish(&scene, &[("exercises/checks/one.rs", "// Clearer.\n\n")]);
    update(&scene, &[]).succeeds().prints("Nothing that you have written");
    assert_eq!(status(&scene, "one"), "solved");
}

/// Some checks have their steps in an extra file.
#[test]
fn changed_steps_make_an_exercise_stale() {
    let scene = cloned_stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    publish(&scene, &[("exercises/src/steps/one.rs", "fn stricter() {}\n")]);
    update(&scene, &[]).succeeds().prints("its check has changed since: one.");
    assert_eq!(status(&scene, "one"), "stale");
}

#[test]
fn a_solved_exercise_that_fails_again_is_reported() {
    let scene = stage();
    let said = scene.learn(&["check", "--solved"]);
    said.succeeds().prints("No exercise is solved yet.");
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    scene.write(ONE, "exit 1\n");
    let said = scene.learn(&["check", "--solved"]);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    said.prints("failing   one").prints("0 of 1 solved exercises still pass");
    said.prints("See why: cargo learn check one");
    scene.learn(&["check", "--solved", "one"]).fails_with(2, &["one"]);
}

/// Promise: An update that is impossible says why and changes nothing.
#[test]
fn an_impossible_update_says_why() {
    let scene = stage();
    scene.program("git", "exec git \"$@\"");
    update(&scene, &[]).fails_with(1, &["is not a git clone"]);

    let scene = cloned_stage();
    publish_edition(&scene);
    let changed = "# Mine.\n";
    scene.write("exercises/checks/one.rs", changed);
    let said = update(&scene, &[]);
    said.fails_with(1, &["exercises/checks/one.rs", "git stash pop"]);
    assert_eq!(scene.read("exercises/checks/one.rs"), changed);

    git(&scene.root, "commit --quiet --all -m mine");
    let said = update(&scene, &[]);
    said.fails_with(1, &["1 commits that origin/main", "git pull --rebase"]);

    fs::rename(scene.root.join("upstream"), scene.root.join("x")).unwrap();
    let said = update(&scene, &[]);
    said.fails_with(1, &["cannot reach", "nothing has changed"]);

    git(&scene.root, "switch --quiet --create mine");
    update(&scene, &[]).fails_with(1, &["follows no branch", "git switch"]);

    fs::remove_file(scene.root.join("bin/git")).unwrap();
    update(&scene, &[]).fails_with(1, &["cannot start git", "install it"]);
}

/// Promise: Git ignores the file of every exercise.
#[test]
fn git_ignores_the_file_of_every_exercise() {
    let scene = cloned_stage();
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let table = fs::read_to_string(root.join("exercises/exercises.toml"));
    let table = table.unwrap();
    let files = table.lines().filter_map(|line| line.strip_prefix("file = \""));
    let mut count = 0;
    for file in files.map(|it| it.trim_end_matches('"')) {
        git(&scene.root, &format!("check-ignore exercises/{file}"));
        let solution = format!("check-ignore exercises/solutions/{file}");
        assert!(!run_git(&scene.root, &solution).status.success(), "{file}");
        count += 1;
    }
    assert!(count > 90, "{count}");
}
