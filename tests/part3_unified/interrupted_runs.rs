//! A killed run continues with the same losses, bit for bit, and a full disk
//! leaves the old checkpoint unchanged.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use rungrad::io;
use rungrad::part3_unified::Device;

use super::checkpoints::{Run, digest};
use super::devices;
use super::files::{folder, sentence};
use testkit::child::{is_child, untuned};
use testkit::clean;
use testkit::random::{Random, cases, first_seed};

const STEPS: u64 = 60;
const TEST: &str =
    "interrupted_runs::a_killed_run_continues_with_the_same_losses";

/// The settings of a child, passed in environment variables.
struct Settings {
    device: usize,
    every: u64,
}

/// Trains in a child, which prints the bits of each step's loss.
fn train(file: &Path) {
    let number = |name: &str| env::var(name).unwrap().parse::<u64>().unwrap();
    let device = devices()[number("RUNGRAD_TEST_AT") as usize];
    let every = number("RUNGRAD_TEST_EVERY");
    let mut run = Run::new(3, device).unwrap();
    run.train(file, STEPS, every, |step, loss| {
        println!("step {step} {:08x}", loss.to_bits());
    })
    .unwrap();
    println!("end 0 {:08x}", digest(&mut run));
}

fn start(file: &Path, settings: &Settings) -> Child {
    let mut command = untuned(TEST);
    command.env("RUNGRAD_TEST_FILE", file);
    command.env("RUNGRAD_TEST_AT", settings.device.to_string());
    command.env("RUNGRAD_TEST_EVERY", settings.every.to_string());
    command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap()
}

/// Reads the output of a child to its end, or kills the child shortly after a
/// step.
fn read_losses(
    mut child: Child,
    kill: Option<(u64, Duration)>,
) -> (BTreeMap<u64, String>, bool) {
    let mut losses = BTreeMap::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // The test harness may have printed the name of the test before it.
        let words: Vec<&str> = line.split_whitespace().rev().take(3).collect();
        let [bits, step, "step" | "end"] = words[..] else { continue };
        let step = step.parse().unwrap();
        losses.insert(step, bits.to_string());
        if let Some((_, moment)) = kill.filter(|(last, _)| *last == step) {
            thread::sleep(moment);
            // SIGKILL cannot be handled. The output written before it is still
            // read.
            child.kill().unwrap();
        }
    }
    let status = child.wait().unwrap();
    assert!(kill.is_some() || status.success(), "{status}");
    (losses, status.success())
}

/// Promise: A run that is killed at any step continues with the same losses,
/// bit for bit, on every device.
#[test]
#[ignore = "slow: 24 s, many processes"]
fn a_killed_run_continues_with_the_same_losses() {
    let _clean = clean();
    if is_child() {
        return train(Path::new(&env::var("RUNGRAD_TEST_FILE").unwrap()));
    }
    let folder = folder("killed_runs");
    let (mut kills, mut resumed) = (0, 0);
    for device in 0..devices().len() {
        let settings = Settings { device, every: STEPS + 1 };
        let (right, _) =
            read_losses(start(&folder.join("whole"), &settings), None);
        assert_eq!(right.len(), STEPS as usize + 1, "the steps and the end");
        // A process with a driver starts slowly.
        let seeds = if device == 0 { cases(4) } else { 1 };
        for seed in first_seed()..first_seed() + seeds {
            let mut random = Random(seed);
            let file = folder.join(format!("{device}-{seed}"));
            let mut last = 0;
            loop {
                let every = 1 + random.below(7) as u64;
                let settings = Settings { device, every };
                let kill = last + 1 + random.below(25) as u64;
                let moment = Duration::from_micros(random.below(3000) as u64);
                let child = start(&file, &settings);
                let (losses, ended) = read_losses(child, Some((kill, moment)));
                for (step, loss) in &losses {
                    assert_eq!(
                        Some(loss),
                        right.get(step),
                        "device {device}, seed {seed}, step {step}"
                    );
                }
                let first = losses.keys().find(|step| **step > 0);
                resumed += usize::from(first.is_some_and(|step| *step > 1));
                if ended {
                    assert!(losses.contains_key(&0), "it has not said its end");
                    break;
                }
                kills += 1;
                last = last.max(*losses.keys().last().unwrap());
            }
        }
    }
    assert!(kills > 2 && resumed > 2, "{kills} kills, {resumed} goings on");
    fs::remove_dir_all(&folder).unwrap();
}

/// The file size limit makes a write fail like a full disk; the child ignores
/// the signal of the limit.
///
/// Promise: A full disk leaves the old checkpoint intact.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_checkpoint() {
    let _clean = clean();
    let test = "interrupted_runs::a_full_disk_leaves_the_old_checkpoint";
    if is_child() {
        let path = env::var("RUNGRAD_TEST_FILE").unwrap();
        let mut run = Run::new(1, Device::Cpu).unwrap();
        run.step().unwrap();
        let refused = io::checkpoint(&path, &run.parts());
        let refused = sentence("a full disk", refused);
        let start = format!("{path} cannot be written: ");
        assert!(refused.starts_with(&start), "{refused}");
        return;
    }
    let folder = folder("full_disk");
    let path = folder.join("run");
    let mut run = Run::new(0, Device::Cpu).unwrap();
    io::checkpoint(&path, &run.parts()).unwrap();
    let old = fs::read(&path).unwrap();
    for blocks in [0, 1, 10] {
        let writer = untuned(test);
        let mut limited = std::process::Command::new("sh");
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        limited.args(["-c", &limit, "sh"]).arg(writer.get_program());
        limited.args(writer.get_args());
        for (name, value) in writer.get_envs() {
            value.map(|value| limited.env(name, value));
        }
        testkit::child::succeed(limited.env("RUNGRAD_TEST_FILE", &path));
        assert!(fs::read(&path).unwrap() == old, "at {blocks} blocks");
        let left = fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, 1, "something is left at {blocks} blocks");
    }
    run.step().unwrap();
    io::resume(&path, &mut run.parts()).unwrap();
    assert_eq!(run.step, 0);
}
