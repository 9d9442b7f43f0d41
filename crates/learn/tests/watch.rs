//! `cargo learn watch`, connected to a plain pipe.

mod scene;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use scene::stage::{ONE, SOLVED, TO_DO, TWO, WRONG, stage, status};
use scene::{Scene, wait_for_text, wait_until_gone};

/// A running `cargo learn watch` and its output.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

fn watch(scene: &Scene, words: &[&str]) -> Watch {
    let mut command = scene.command(&[&["watch"], words].concat());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in out.lines() {
            let _ = sender.send(line.unwrap());
        }
    });
    Watch { child, lines }
}

impl Watch {
    /// Reads up to a line that contains these words and returns everything
    /// read.
    #[track_caller]
    fn read_until(&self, words: &str) -> String {
        let mut said = String::new();
        while !said.contains(words) {
            match self.lines.recv_timeout(Duration::from_secs(60)) {
                Ok(line) => said += &format!("{line}\n"),
                Err(_) => panic!("no {words:?} in: {said}"),
            }
        }
        said
    }

    /// Asserts that it ends by itself with success, and returns the rest of
    /// its output.
    #[track_caller]
    fn read_to_end(mut self) -> String {
        let mut said = String::new();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(60)) {
            said += &format!("{line}\n");
            assert!(said.lines().count() < 200, "it never ends: {said}");
        }
        assert!(self.child.wait().unwrap().success());
        said
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Promise: `cargo learn watch` checks every save and continues with the next
/// exercise after success.
#[test]
fn each_save_is_checked_and_success_moves_on() {
    let scene = stage();
    let watch = watch(&scene, &[]);
    let first = watch.lines.recv_timeout(Duration::from_secs(60)).unwrap();
    let place = "exercises/part1_cpu/one.rs";
    assert_eq!(first, format!("Watching {place}"));
    watch.read_until("to do: TODO(one)");
    watch.read_until(&format!("Checking {place} on every save."));
    scene.write(ONE, WRONG);
    watch.read_until("are swapped");
    watch.read_until("Checking");
    scene.write(ONE, SOLVED);
    let said = watch.read_until("Watching exercises/part2_gpu/two.cl");
    assert!(said.contains("solved\n"), "{said}");
    assert_eq!(status(&scene, "one"), "solved");
    watch.read_until("Checking");
    scene.write(TWO, SOLVED);
    let rest = watch.read_to_end();
    assert!(rest.ends_with("Every exercise is solved. Well done.\n"), "{rest}");
}

/// The chapter "One expression, three engines" asks the learner to break a
/// solved exercise. So a solved exercise that was named is still watched, and
/// so is the one that is solved from the start.
///
/// Promise: A solved exercise can be broken and repaired under `cargo learn
/// watch`.
#[test]
fn a_solved_exercise_can_be_broken_under_watch() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    let named = watch(&scene, &["one"]);
    named.read_until("This exercise is already solved");
    named.read_until("Checking");
    scene.write(ONE, WRONG);
    named.read_until("are swapped");
    named.read_until("Checking");
    scene.write(ONE, SOLVED);
    named.read_until("Watching exercises/part2_gpu/two.cl");
    drop(named);

    let table = scene.read("exercises/exercises.toml");
    let free = table.replacen("needs = []", "needs = []\nfree = true", 1);
    scene.write("exercises/exercises.toml", &free);
    scene.write(".learn/progress", "");
    let free = watch(&scene, &[]);
    free.read_until("This exercise is already solved");
    free.read_until("Checking");
    // Saved without a change.
    scene.write(ONE, SOLVED);
    free.read_until("Watching exercises/part2_gpu/two.cl");
}

const SKIPPED: &str = "echo 'skipped: no device'\nexit 4\n";

#[test]
fn a_skipped_exercise_is_left_for_later() {
    let scene = stage();
    scene.write(ONE, SKIPPED);
    let watch = watch(&scene, &["one"]);
    let said = watch.read_until("Watching exercises/part2_gpu/two.cl");
    assert!(said.contains("skipped: no device"), "{said}");
    watch.read_until("Checking");
    scene.write(TWO, SOLVED);
    let rest = watch.read_to_end();
    assert!(rest.contains("No other exercise can be checked now"), "{rest}");
    assert_eq!(status(&scene, "one"), "skipped");
    // Even if progress cannot be saved, no exercise is suggested twice.
    let scene = stage();
    scene.write(".learn", "a file where a folder should be");
    scene.write(ONE, SOLVED);
    scene.write(TWO, SOLVED);
    let said = self::watch(&scene, &[]).read_to_end();
    assert_eq!(said.matches("Watching").count(), 2, "{said}");
}

#[test]
fn every_way_of_saving_is_noticed() {
    let scene = stage();
    let watch = watch(&scene, &["one"]);
    watch.read_until("Checking");
    // The same text again: the verdict is printed once more.
    scene.write(ONE, TO_DO);
    watch.read_until("TODO(one)");
    watch.read_until("Checking");
    // A new file replaces the old one by a rename.
    scene.write("beside", WRONG);
    fs::rename(scene.root.join("beside"), scene.root.join(ONE)).unwrap();
    watch.read_until("are swapped");
    watch.read_until("Checking");
    // Removed, and written again a moment later.
    fs::remove_file(scene.root.join(ONE)).unwrap();
    thread::sleep(Duration::from_millis(300));
    scene.write(ONE, WRONG);
    let said = watch.read_until("are swapped");
    assert!(!said.contains("is missing"), "{said}");
    watch.read_until("Checking");
    // A change of the check counts too.
    scene.write("exercises/checks/one.rs", "// Another check.\n");
    watch.read_until("are swapped");
    watch.read_until("Checking");
    // Another command writes a missing file again.
    fs::remove_file(scene.root.join(ONE)).unwrap();
    scene.learn(&["list"]).succeeds();
    watch.read_until("TODO(one)");
}

#[test]
fn progress_saved_by_a_different_command_is_kept() {
    let scene = stage();
    let slow = "PATH=/usr/bin:/bin\necho now > $0.started\n\
                while [ ! -e $0.go ]; do sleep 0.02; done\n";
    scene.write(ONE, &format!("{slow}{SOLVED}"));
    let watch = watch(&scene, &[]);
    wait_for_text(&scene.root.join(format!("{ONE}.started")));
    scene.learn(&["hint", "two"]).succeeds();
    scene.write(&format!("{ONE}.go"), "");
    watch.read_until("Watching exercises/part2_gpu/two.cl");
    assert_eq!(status(&scene, "one"), "solved");
    scene.learn(&["hint", "two"]).succeeds().prints("Hint 2 of 3");
}

/// The companion treats SIGINT and SIGTERM alike. Tests that run in the
/// background may have inherited a disabled SIGINT, so this one uses SIGTERM.
///
/// Promise: A signal ends `cargo learn watch` together with the running check.
#[test]
fn a_signal_ends_the_watch_and_the_running_check() {
    let scene = stage();
    let hangs = "PATH=/usr/bin:/bin\nsleep 600 & echo $! > $0.child; wait";
    scene.write(ONE, hangs);
    let mut watch = watch(&scene, &["one"]);
    let child = wait_for_text(&scene.root.join(format!("{ONE}.child")));
    let id = watch.child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(kill.success());
    assert!(!watch.child.wait().unwrap().success());
    wait_until_gone(&child);
}

/// Promise: `cargo learn watch` uses no processor time while it waits.
#[cfg(target_os = "linux")]
#[test]
fn waiting_uses_no_processor_time() {
    let scene = stage();
    let watch = watch(&scene, &["one"]);
    watch.read_until("Checking");
    // In hundredths of a second, in user mode and in the kernel.
    let ticks = || -> u64 {
        let file = format!("/proc/{}/stat", watch.child.id());
        let stat = fs::read_to_string(file).unwrap();
        let fields = stat.rsplit(')').next().unwrap().split_whitespace();
        fields.skip(11).take(2).map(|it| it.parse::<u64>().unwrap()).sum()
    };
    let before = ticks();
    thread::sleep(Duration::from_secs(2));
    let used = ticks() - before;
    assert!(used <= 10, "{used} hundredths of a second in 2 s");
}
