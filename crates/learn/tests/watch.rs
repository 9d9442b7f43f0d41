//! `cargo learn watch`, through a plain pipe.

mod scene;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use scene::stage::{ONE, SOLVED, TO_DO, TWO, WRONG, stage, status};
use scene::{Scene, appears, is_gone};

/// A companion that watches, and what it says.
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
    /// Reads on to a line with these words; what came before is returned with
    /// it.
    #[track_caller]
    fn says(&self, words: &str) -> String {
        let mut said = String::new();
        while !said.contains(words) {
            match self.lines.recv_timeout(Duration::from_secs(60)) {
                Ok(line) => said += &format!("{line}\n"),
                Err(_) => panic!("no {words:?} in: {said}"),
            }
        }
        said
    }

    /// What it still says, and that it ends by itself and well.
    #[track_caller]
    fn ends(mut self) -> String {
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
fn each_save_is_checked_and_success_goes_on_to_the_next() {
    let scene = stage();
    let watch = watch(&scene, &[]);
    let first = watch.lines.recv_timeout(Duration::from_secs(60)).unwrap();
    let place = "exercises/part1_cpu/one.rs";
    assert_eq!(
        first,
        format!("Watching {place}: each save is checked. Ctrl-C ends.")
    );
    watch.says("to do: TODO(one)");
    watch.says(&format!("Waiting for the next save of {place}."));
    scene.write(ONE, WRONG);
    watch.says("are swapped");
    watch.says("Waiting");
    scene.write(ONE, SOLVED);
    let said = watch.says("Watching exercises/part2_gpu/two.cl");
    assert!(said.contains("solved\n"), "{said}");
    assert_eq!(status(&scene, "one"), "solved");
    watch.says("Waiting");
    scene.write(TWO, SOLVED);
    let rest = watch.ends();
    assert!(rest.ends_with("Every exercise is solved. Well done.\n"), "{rest}");
}

/// "Then break it", says "One expression, three engines": what is right is not
/// left at once by somebody who named it, nor the free pass by anybody.
///
/// Promise: An exercise that starts out right can be broken under `cargo learn
/// watch`.
#[test]
fn what_is_solved_as_it_stands_can_be_broken() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    let named = watch(&scene, &["one"]);
    named.says("It is solved as it stands");
    named.says("Waiting");
    scene.write(ONE, WRONG);
    named.says("are swapped");
    named.says("Waiting");
    scene.write(ONE, SOLVED);
    named.says("Watching exercises/part2_gpu/two.cl");
    drop(named);

    let table = scene.read("exercises/exercises.toml");
    let free = table.replacen("needs = []", "needs = []\nfree = true", 1);
    scene.write("exercises/exercises.toml", &free);
    scene.write(".learn/progress", "");
    let free = watch(&scene, &[]);
    free.says("It is solved as it stands");
    free.says("Waiting");
    // Saved as it is.
    scene.write(ONE, SOLVED);
    free.says("Watching exercises/part2_gpu/two.cl");
}

const SKIPPED: &str = "echo 'skipped: no device'\nexit 4\n";

#[test]
fn what_this_machine_cannot_check_is_left_for_later() {
    let scene = stage();
    scene.write(ONE, SKIPPED);
    let watch = watch(&scene, &["one"]);
    let said = watch.says("Watching exercises/part2_gpu/two.cl");
    assert!(said.contains("skipped: no device"), "{said}");
    watch.says("Waiting");
    scene.write(TWO, SOLVED);
    let rest = watch.ends();
    assert!(rest.contains("No other exercise can be checked now"), "{rest}");
    assert_eq!(status(&scene, "one"), "skipped");
    // Without progress, no exercise comes twice.
    let scene = stage();
    scene.write(".learn", "a file where a folder should be");
    scene.write(ONE, SOLVED);
    scene.write(TWO, SOLVED);
    let said = self::watch(&scene, &[]).ends();
    assert_eq!(said.matches("Watching").count(), 2, "{said}");
}

#[test]
fn every_way_to_save_is_seen() {
    let scene = stage();
    let watch = watch(&scene, &["one"]);
    watch.says("Waiting");
    // The same text again: somebody wants to see the verdict once more.
    scene.write(ONE, TO_DO);
    watch.says("TODO(one)");
    watch.says("Waiting");
    // A new file that takes the place of the old one.
    scene.write("beside", WRONG);
    fs::rename(scene.root.join("beside"), scene.root.join(ONE)).unwrap();
    watch.says("are swapped");
    watch.says("Waiting");
    // Away, and back a while later.
    fs::remove_file(scene.root.join(ONE)).unwrap();
    thread::sleep(Duration::from_millis(300));
    scene.write(ONE, WRONG);
    let said = watch.says("are swapped");
    assert!(!said.contains("is missing"), "{said}");
    watch.says("Waiting");
    // A change of the check counts too.
    scene.write("exercises/checks/one.rs", "// Another check.\n");
    watch.says("are swapped");
    drop(watch);
    fs::remove_file(scene.root.join(ONE)).unwrap();
    let watch = self::watch(&scene, &["one"]);
    watch.says("one.rs is missing; `cargo learn reset one`");
    watch.says("Waiting");
    scene.learn(&["reset", "one"]).went_well();
    watch.says("TODO(one)");
}

#[test]
fn what_another_command_keeps_meanwhile_is_not_lost() {
    let scene = stage();
    let slow = "PATH=/usr/bin:/bin\necho now > $0.started\n\
                while [ ! -e $0.go ]; do sleep 0.02; done\n";
    scene.write(ONE, &format!("{slow}{SOLVED}"));
    let watch = watch(&scene, &[]);
    appears(&scene.root.join(format!("{ONE}.started")));
    scene.learn(&["hint", "two"]).went_well();
    scene.write(&format!("{ONE}.go"), "");
    watch.says("Watching exercises/part2_gpu/two.cl");
    assert_eq!(status(&scene, "one"), "solved");
    scene.learn(&["hint", "two"]).went_well().tells("Hint 2 of 3");
}

/// Ctrl-C is SIGINT, which whoever starts tests in the background may have
/// switched off; the companion lets both signals end it.
///
/// Promise: A signal ends `cargo learn watch` together with the running check.
#[test]
fn a_signal_ends_the_watch_and_the_check_that_runs() {
    let scene = stage();
    let hangs = "PATH=/usr/bin:/bin\nsleep 600 & echo $! > $0.child; wait";
    scene.write(ONE, hangs);
    let mut watch = watch(&scene, &["one"]);
    let child = appears(&scene.root.join(format!("{ONE}.child")));
    let id = watch.child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(kill.success());
    assert!(!watch.child.wait().unwrap().success());
    is_gone(&child);
}

/// Promise: `cargo learn watch` uses no processor time while it waits.
#[cfg(target_os = "linux")]
#[test]
fn waiting_takes_no_time_of_a_core() {
    let scene = stage();
    let watch = watch(&scene, &["one"]);
    watch.says("Waiting");
    // Hundredths of a second, in user mode and in the kernel.
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
