//! `cargo learn reset` and `diff`: a learner loses no line.

mod scene;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use scene::stage::{ONE, SOLVED, TO_DO, TWO, source, stage, status};
use scene::{CommandOutput, Scene, skip};

/// Returns the names and contents of the backups, sorted by name.
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
fn reset_restores_the_stub_and_names_the_backup() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    let said = scene.learn(&["reset", "one", "--yes"]);
    said.succeeds().prints("cargo learn check one");
    assert_eq!(scene.read(ONE), TO_DO);
    assert_eq!(status(&scene, "one"), "to do");
    let all = backups(&scene);
    let [(name, text)] = &all[..] else { panic!("{all:?}") };
    said.prints(&format!("Your version: .learn/backups/{name}\n"));
    assert_eq!(text, SOLVED.as_bytes());
}

/// Promise: A backup has every byte of the learner's file and never overwrites
/// an older backup.
#[test]
fn a_backup_never_overwrites_an_older_one() {
    let scene = stage();
    let texts: Vec<Vec<u8>> =
        (b'0'..b'5').map(|it| vec![0xff, 0xfe, 0, it]).collect();
    for text in &texts {
        fs::write(scene.root.join(TWO), text).unwrap();
        scene.learn(&["reset", "two", "--yes"]).succeeds();
    }
    let (names, kept): (Vec<String>, Vec<Vec<u8>>) =
        backups(&scene).into_iter().unzip();
    assert_eq!(kept, texts);
    assert!(names.iter().all(|it| it.ends_with(".cl")), "{names:?}");
}

#[test]
fn without_a_terminal_reset_changes_nothing() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    // Input for a question that was not asked replaces nothing.
    let said = scene.learn_with_input(&["reset", "one"], "y\n");
    said.fails_with(2, &[ONE, "cargo learn reset one --yes", "a backup"]);
    assert_eq!((scene.read(ONE).as_str(), &*said.out), (SOLVED, ""));
    assert!(backups(&scene).is_empty());
}

#[test]
fn an_unchanged_file_gets_no_backup() {
    let scene = stage();
    let said = scene.learn(&["reset", "one"]);
    said.succeeds().prints("nothing to restore");
    fs::remove_dir_all(scene.root.join("exercises/part1_cpu")).unwrap();
    scene.learn(&["reset", "one"]).succeeds();
    assert_eq!(scene.read(ONE), TO_DO);
    assert!(backups(&scene).is_empty());
}

#[test]
fn without_a_backup_nothing_is_replaced() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.write(".learn", "a file where a folder should be");
    let said = scene.learn(&["reset", "one", "--yes"]);
    said.fails_with(1, &["cannot write", ".learn", "make it writable"]);
    assert_eq!(scene.read(ONE), SOLVED);
}

/// No test can fill a disk, but a shell limit can make a write fail.
///
/// Promise: A backup that fails leaves no empty file.
#[test]
fn a_failed_backup_leaves_no_empty_file() {
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
    CommandOutput::from(&mut command).fails_with(1, &[".learn/backups/one-"]);
    assert!(backups(&scene).is_empty());
    assert_eq!(scene.read(ONE), SOLVED);
    let left = fs::read_dir(scene.root.join(".learn/backups")).unwrap();
    assert_eq!(left.count(), 0);
}

/// A file cannot be renamed across file systems.
///
/// Promise: `cargo learn reset` works if the exercises are on a different
/// disk.
#[cfg(target_os = "linux")]
#[test]
fn exercises_on_a_different_disk_can_be_reset() {
    use std::os::unix::fs::MetadataExt;
    let scene = stage();
    let folder = format!("/dev/shm/rungrad-reset-{}", std::process::id());
    let device = |path: &Path| fs::metadata(path).map(|it| it.dev()).ok();
    let made = fs::create_dir_all(&folder).is_ok();
    if !made || device(Path::new(&folder)) == device(&scene.root) {
        let name = "exercises_on_a_different_disk_can_be_reset";
        let why = "/dev/shm is no file system of its own";
        return skip(name, why);
    }
    fs::remove_dir_all(scene.root.join("exercises/part1_cpu")).unwrap();
    let link = scene.root.join("exercises/part1_cpu");
    std::os::unix::fs::symlink(&folder, link).unwrap();
    scene.write(ONE, SOLVED);
    scene.learn(&["reset", "one", "--yes"]).succeeds();
    let (now, left) = (scene.read(ONE), fs::read_dir(&folder).unwrap().count());
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!((now.as_str(), left), (TO_DO, 1));
}

#[test]
fn diff_needs_a_solved_exercise_or_a_second_request() {
    let scene = stage();
    scene.write(ONE, "echo mine\nexit 1\n");
    let first = scene.learn(&["diff", "one"]);
    first.succeeds().prints("not solved yet").prints("cargo learn hint one");
    assert!(!first.out.contains("echo solved"), "{}", first.out);
    let second = scene.learn(&["diff", "one"]);
    let page = format!(
        "--- yours: {ONE}\n+++ ours\n@@ -1,2 +1 @@\n-echo mine\n-exit 1\n\
         +echo solved\n"
    );
    assert_eq!(second.succeeds().out, page);

    let scene = stage();
    scene.write(ONE, &format!("# Mine.\n{SOLVED}"));
    scene.learn(&["check", "one"]).succeeds();
    scene.learn(&["diff", "one"]).succeeds().prints("-# Mine.\n echo solved");
    scene.write(ONE, SOLVED);
    scene.learn(&["diff", "one"]).succeeds().prints("the same, line by line");
}

#[test]
fn diff_shows_no_hole_markers() {
    let scene = stage();
    let path = "exercises/solutions/part1_cpu/one.rs";
    scene.write(path, &format!("{}# end\n", source(TO_DO, SOLVED)));
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    let said = scene.learn(&["diff", "one"]);
    said.succeeds().prints("@@ -1 +1,2 @@\n echo solved\n+# end\n");
    assert!(!said.out.contains("HOLE"), "{}", said.out);
}
