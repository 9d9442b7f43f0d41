//! `cargo learn reset` and `diff`: no line of a learner is lost.

mod scene;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use scene::stage::{ONE, SOLVED, TO_DO, TWO, source, stage, status};
use scene::{Said, Scene, skip};

/// What stands in the backups, in the order of their names.
fn backups(scene: &Scene) -> Vec<(String, Vec<u8>)> {
    let Ok(folder) = fs::read_dir(scene.root.join(".learn/backups")) else {
        return Vec::new();
    };
    let mut all: Vec<(String, Vec<u8>)> = folder
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    all.sort();
    all
}

/// Promise: `cargo learn reset` restores the stub and names the backup of the
/// learner's file.
#[test]
fn reset_puts_the_task_back_and_says_where_the_backup_is() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    let said = scene.learn(&["reset", "one", "--yes"]);
    said.went_well().tells("cargo learn check one");
    assert_eq!(scene.read(ONE), TO_DO);
    assert_eq!(status(&scene, "one"), "to do");
    let all = backups(&scene);
    let [(name, text)] = &all[..] else { panic!("{all:?}") };
    said.tells(&format!("What you wrote: .learn/backups/{name}\n"));
    assert_eq!(text, SOLVED.as_bytes());
}

/// Promise: A backup has every byte of the learner's file and never overwrites
/// an older backup.
#[test]
fn a_backup_never_takes_the_place_of_another() {
    let scene = stage();
    let texts: Vec<Vec<u8>> =
        (b'0'..b'5').map(|it| vec![0xff, 0xfe, 0, it]).collect();
    for text in &texts {
        fs::write(scene.root.join(TWO), text).unwrap();
        scene.learn(&["reset", "two", "--yes"]).went_well();
    }
    let (names, kept): (Vec<String>, Vec<Vec<u8>>) =
        backups(&scene).into_iter().unzip();
    assert_eq!(kept, texts);
    assert!(names.iter().all(|it| it.ends_with(".cl")), "{names:?}");
}

#[test]
fn without_a_terminal_reset_asks_nobody_and_changes_nothing() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    // The answer to a question that was not asked replaces nothing.
    let said = scene.typed(&["reset", "one"], "y\n");
    said.stopped(2, &[ONE, "cargo learn reset one --yes", "a backup"]);
    assert_eq!((scene.read(ONE).as_str(), &*said.out), (SOLVED, ""));
    assert!(backups(&scene).is_empty());
}

#[test]
fn without_a_text_of_the_learner_s_there_is_no_backup() {
    let scene = stage();
    let said = scene.learn(&["reset", "one"]);
    said.went_well().tells("nothing to put back");
    fs::remove_dir_all(scene.root.join("exercises/part1_cpu")).unwrap();
    scene.learn(&["reset", "one"]).went_well().tells("The task is back");
    assert_eq!(scene.read(ONE), TO_DO);
    assert!(backups(&scene).is_empty());
}

#[test]
fn nothing_is_replaced_where_no_backup_can_be_kept() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.write(".learn", "a file where a folder should be");
    let said = scene.learn(&["reset", "one", "--yes"]);
    said.stopped(1, &["cannot write", ".learn", "make it writable"]);
    assert_eq!(scene.read(ONE), SOLVED);
}

/// No test can fill a disk, but a limit of the shell can refuse a file.
///
/// Promise: A backup that fails leaves no empty file.
#[test]
fn a_backup_that_cannot_be_written_leaves_no_empty_one() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    let reset = scene.command(&["reset", "one", "--yes"]);
    let mut command = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    command.args(["-c", script, "sh"]).arg(reset.get_program());
    command.args(reset.get_args()).env_clear().stdin(Stdio::null());
    let variables = reset.get_envs();
    command.envs(variables.filter_map(|(name, it)| Some((name, it?))));
    command.current_dir(&scene.root);
    Said::by(&mut command).stopped(1, &[".learn/backups/one-"]);
    assert!(backups(&scene).is_empty());
    assert_eq!(scene.read(ONE), SOLVED);
    let left = fs::read_dir(scene.root.join(".learn/backups")).unwrap();
    assert_eq!(left.count(), 0);
}

/// No rename leads from one file system to another.
///
/// Promise: `cargo learn reset` works if the exercises are on a different disk.
#[cfg(target_os = "linux")]
#[test]
fn exercises_on_another_disk_can_be_reset() {
    use std::os::unix::fs::MetadataExt;
    let scene = stage();
    let folder = format!("/dev/shm/rungrad-reset-{}", std::process::id());
    let device = |path: &Path| fs::metadata(path).map(|it| it.dev()).ok();
    let made = fs::create_dir_all(&folder).is_ok();
    if !made || device(Path::new(&folder)) == device(&scene.root) {
        let name = "exercises_on_another_disk_can_be_reset";
        let why = "/dev/shm is no file system of its own";
        return skip(name, why);
    }
    fs::remove_dir_all(scene.root.join("exercises/part1_cpu")).unwrap();
    let link = scene.root.join("exercises/part1_cpu");
    std::os::unix::fs::symlink(&folder, link).unwrap();
    scene.write(ONE, SOLVED);
    scene.learn(&["reset", "one", "--yes"]).went_well();
    let (now, left) = (scene.read(ONE), fs::read_dir(&folder).unwrap().count());
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!((now.as_str(), left), (TO_DO, 1));
}

#[test]
fn diff_shows_yours_and_ours_when_it_is_solved_or_asked_for_twice() {
    let scene = stage();
    scene.write(ONE, "echo mine\nexit 1\n");
    let first = scene.learn(&["diff", "one"]);
    first.went_well().tells("not solved yet").tells("cargo learn hint one");
    assert!(!first.out.contains("echo solved"), "{}", first.out);
    let second = scene.learn(&["diff", "one"]);
    let page = format!(
        "--- yours: {ONE}\n+++ ours\n@@ -1,2 +1 @@\n-echo mine\n-exit 1\n\
         +echo solved\n"
    );
    assert_eq!(second.went_well().out, page);

    let scene = stage();
    scene.write(ONE, &format!("# Mine.\n{SOLVED}"));
    scene.learn(&["check", "one"]).went_well();
    scene.learn(&["diff", "one"]).went_well().tells("-# Mine.\n echo solved");
    scene.write(ONE, SOLVED);
    scene.learn(&["diff", "one"]).went_well().tells("the same, line by line");
}

#[test]
fn diff_is_ours_without_its_holes() {
    let scene = stage();
    let path = "exercises/solutions/part1_cpu/one.rs";
    scene.write(path, &format!("{}# end\n", source(TO_DO, SOLVED)));
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    let said = scene.learn(&["diff", "one"]);
    said.went_well().tells("@@ -1 +1,2 @@\n echo solved\n+# end\n");
    assert!(!said.out.contains("HOLE"), "{}", said.out);
}
