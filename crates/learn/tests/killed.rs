//! Kills the companion at many moments: the learner's files and the progress
//! must stay intact.

mod scene;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io::Read};

use scene::Scene;
use scene::stage::{ONE, SOLVED, TO_DO, stage, status};

/// Measures how long the command takes if it is not killed.
fn time(command: &mut Command) -> Duration {
    let start = Instant::now();
    command.stdout(Stdio::null()).status().unwrap();
    start.elapsed()
}

/// Starts the command and kills it with SIGKILL after a delay.
fn kill(command: &mut Command, after: Duration) {
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Returns the delays after which a command of this duration is killed.
fn moments(whole: Duration) -> impl Iterator<Item = Duration> {
    (0..40).map(move |it| whole * it / 32)
}

/// Asserts that no line of the progress is damaged or lost.
#[track_caller]
fn progress_is_whole(scene: &Scene) {
    let said = scene.learn(&[]);
    assert!(!said.succeeds().out.contains("damaged"), "{}", said.out);
    assert_eq!(status(scene, "two"), "failing");
    assert!(scene.read(".learn/progress").contains("\ntour all seen\n"));
}

/// Returns a checkout with some progress that could be lost.
fn stage_with_progress() -> Scene {
    let scene = stage();
    let lines = "tour all seen\nexercise two failing\n";
    scene.write(".learn/progress", &format!("# A note.\n{lines}"));
    scene
}

/// Promise: A check that is killed leaves the learner's files and progress
/// intact.
#[test]
fn a_killed_check_damages_no_file_and_no_progress() {
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
fn a_killed_reset_loses_no_line() {
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

/// The delays above may miss a file that is truncated and rewritten in place,
/// because it is empty only for a moment. If the file is replaced, a handle
/// that was opened before still reads the old text.
///
/// Promise: Progress files are replaced atomically and never written in place.
#[test]
fn progress_files_are_replaced_atomically() {
    let scene = stage_with_progress();
    scene.write(ONE, SOLVED);
    let files = [".learn/progress", ONE];
    let before = files.map(|file| {
        (fs::File::open(scene.root.join(file)).unwrap(), scene.read(file))
    });
    scene.learn(&["reset", "one", "--yes"]).succeeds();
    for ((mut open, text), file) in before.into_iter().zip(files) {
        let mut old = String::new();
        open.read_to_string(&mut old).unwrap();
        assert_eq!(old, text, "{file}");
        assert_ne!(scene.read(file), text, "{file}");
    }
    let left = fs::read_dir(scene.root.join(".learn")).unwrap();
    let mut left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["backups", "progress", "stubs"]);
}
