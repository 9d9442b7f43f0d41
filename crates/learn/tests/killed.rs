//! Killed at any moment, the companion leaves the learner's files and the
//! progress whole.

mod scene;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io::Read};

use scene::Scene;
use scene::stage::{ONE, SOLVED, TO_DO, stage, status};

/// How long the command takes when nobody kills it.
fn time(command: &mut Command) -> Duration {
    let start = Instant::now();
    command.stdout(Stdio::null()).status().unwrap();
    start.elapsed()
}

/// Starts the command and kills it after that time, with no chance to clean
/// up.
fn kill(command: &mut Command, after: Duration) {
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The moments at which a command that takes so long is killed.
fn moments(whole: Duration) -> impl Iterator<Item = Duration> {
    (0..40).map(move |it| whole * it / 32)
}

/// Asserts that no line of the progress is damaged or lost.
#[track_caller]
fn progress_is_whole(scene: &Scene) {
    let said = scene.learn(&[]);
    assert!(!said.went_well().out.contains("damaged"), "{}", said.out);
    assert_eq!(status(scene, "two"), "failing");
    assert!(scene.read(".learn/progress").contains("\ntour all seen\n"));
}

/// A stage whose progress has something to lose.
fn stage_with_progress() -> Scene {
    let scene = stage();
    let lines = "tour all seen\nexercise two failing\n";
    scene.write(".learn/progress", &format!("# A note.\n{lines}"));
    scene
}

/// Promise: A check that is killed leaves the learner's files and progress
/// intact.
#[test]
fn a_check_that_is_killed_leaves_the_files_and_the_progress_whole() {
    let scene = stage_with_progress();
    scene.write(ONE, SOLVED);
    let whole = time(&mut scene.command(&["check", "one"]));
    for moment in moments(whole) {
        scene.write(ONE, SOLVED);
        kill(&mut scene.command(&["check", "one"]), moment);
        assert_eq!(scene.read(ONE), SOLVED);
        progress_is_whole(&scene);
    }
}

/// Promise: A reset that is killed loses no line of the learner's file.
#[test]
fn a_reset_that_is_killed_loses_no_line() {
    let scene = stage_with_progress();
    scene.write(ONE, SOLVED);
    let reset = ["reset", "one", "--yes"];
    let whole = time(&mut scene.command(&reset));
    for (number, moment) in moments(whole).enumerate() {
        let mine = format!("{SOLVED}# {number}\n");
        scene.write(ONE, &mine);
        kill(&mut scene.command(&reset), moment);
        let now = scene.read(ONE);
        if now != mine {
            assert_eq!(now, TO_DO);
            let folder = scene.root.join(".learn/backups");
            let mut backups = fs::read_dir(folder).unwrap();
            let is_mine = |path| fs::read(path).unwrap() == mine.as_bytes();
            assert!(backups.any(|it| is_mine(it.unwrap().path())), "{mine}");
        }
        progress_is_whole(&scene);
    }
}

/// What the sleeps above may miss: a file that is truncated and written in
/// place is the same file before and after, and for a moment it is empty.
///
/// Promise: Progress files are replaced atomically and never written in place.
#[test]
fn what_is_kept_is_replaced_and_never_written_in_place() {
    let scene = stage_with_progress();
    scene.write(ONE, SOLVED);
    let files = [".learn/progress", ONE];
    let before = files.map(|file| {
        (fs::File::open(scene.root.join(file)).unwrap(), scene.read(file))
    });
    scene.learn(&["reset", "one", "--yes"]).went_well();
    for ((mut open, text), file) in before.into_iter().zip(files) {
        let mut old = String::new();
        open.read_to_string(&mut old).unwrap();
        assert_eq!(old, text, "{file}");
        assert_ne!(scene.read(file), text, "{file}");
    }
    let left = fs::read_dir(scene.root.join(".learn")).unwrap();
    let mut left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["backups", "progress"]);
}
