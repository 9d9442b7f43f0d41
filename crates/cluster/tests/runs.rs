//! Whole runs of the example `cluster_names` on processes that MPI connects, on
//! one machine and in network namespaces that are like two machines.
//!
//! Without the feature `mpi` they are skipped.

#![cfg(target_os = "linux")]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use rungrad::io;

/// Prints that a test is skipped. The harness would capture `eprintln!`.
fn skip<T>(test: &str, reason: &str) -> Option<T> {
    _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
    None
}

/// Where the ranks run, with a folder for their files.
struct Place {
    folder: PathBuf,
    program: PathBuf,
    /// The addresses of the network namespaces; none for this machine itself.
    addresses: Vec<String>,
}

impl Place {
    /// Creates the folder, or returns `None` if the test is skipped.
    fn this_machine(test: &str) -> Option<Place> {
        if !cfg!(feature = "mpi") {
            return skip(test, "it needs `--features cluster/mpi`");
        }
        let name = format!("rungrad-{test}-{}", process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        // Other tests build it without MPI.
        let packages = ["rungrad", "tools", "cluster"];
        let mut words = ["--features", "cluster/mpi"].to_vec();
        words.extend(packages.iter().flat_map(|name| ["--package", name]));
        words.extend(["--example", "cluster_names"]);
        let programs = testkit::place::programs(&words).unwrap();
        let program = programs.join("examples/cluster_names");
        Some(Place { folder, program, addresses: Vec::new() })
    }

    /// Creates two network namespaces, which are joined by a virtual cable.
    fn two_namespaces(test: &str) -> Option<Place> {
        let mut place = Place::this_machine(test)?;
        let id = process::id();
        // Addresses of the block for benchmarks, which no network uses.
        let subnet = format!("198.18.{}", id % 256);
        place.addresses = vec![format!("{subnet}.1"), format!("{subnet}.2")];
        let [one, two] = [&place.addresses[0], &place.addresses[1]];
        let mut commands = vec![
            format!("netns add {one}"),
            format!("netns add {two}"),
            format!(
                "link add rg{id}a netns {one} type veth peer name rg{id}b \
                 netns {two}"
            ),
        ];
        for (space, link) in [(one, 'a'), (two, 'b')] {
            let link = format!("rg{id}{link}");
            commands.extend([
                format!("-n {space} addr add {space}/24 dev {link}"),
                format!("-n {space} link set {link} up"),
                format!("-n {space} link set lo up"),
            ]);
        }
        for command in commands {
            let created = ip(&command);
            if !created.is_some_and(|output| output.status.success()) {
                let reason = format!("`ip {command}` fails; it needs root");
                return skip(test, &reason);
            }
        }
        // OpenMPI starts its daemon on a host with this program in place of
        // ssh. Two daemons on one host would share files.
        let agent = "#!/bin/sh\nspace=$1; shift\n\
             exec ip netns exec $space unshare --uts \\\n  \
             sh -c 'hostname $0; exec sh -c \"$*\"' $space \"$@\"\n";
        let path = place.folder.join("agent");
        fs::write(&path, agent).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        Some(place)
    }

    /// Returns the command that runs the example on some ranks.
    fn command(&self, ranks: usize, words: &str) -> Command {
        let mut command = match self.addresses.first() {
            None => Command::new("mpirun"),
            Some(first) => {
                let mut command = Command::new("ip");
                let agent = self.folder.join("agent");
                let slots = ranks.div_ceil(self.addresses.len());
                let hosts = self.addresses.iter();
                let hosts: Vec<_> =
                    hosts.map(|it| format!("{it}:{slots}")).collect();
                command.args(["netns", "exec", first, "mpirun"]);
                command.args(["--host", &hosts.join(",")]);
                command.args(["--map-by", "node"]);
                command.args(["--mca", "btl", "tcp,self"]);
                command.args(["--mca", "plm_rsh_agent"]).arg(agent);
                command
            }
        };
        command.args(["--oversubscribe", "-n", &ranks.to_string()]);
        command.arg(&self.program).args(words.split(' '));
        command.current_dir(&self.folder);
        command.env("RAYON_NUM_THREADS", "1");
        // A container often has no other user.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
        command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }

    /// Runs the example to its end and returns its log.
    fn log(&self, ranks: usize, words: &str) -> String {
        let words = format!("--log log {words}");
        let output = self.command(ranks, &words).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text}{errors}");
        // Rank 0 prints for all.
        assert_eq!(text.matches("ms per step").count(), 1, "{text}");
        assert!(text.starts_with(&format!("{ranks} ranks")), "{text}");
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// Returns the process ids of the ranks, in the order of the ranks.
    fn ranks(&self) -> Vec<(String, String)> {
        let folders = fs::read_dir("/proc").unwrap().flatten();
        let ranks = folders.filter_map(|folder| {
            let folder = folder.path();
            // Two tests may run the example at the same time.
            let is_rank = fs::read_link(folder.join("exe")).ok()?
                == self.program
                && fs::read_link(folder.join("cwd")).ok()? == self.folder;
            let variables = fs::read(folder.join("environ")).ok()?;
            let variables = String::from_utf8_lossy(&variables).into_owned();
            let mut variables = variables.split('\0');
            let rank = variables
                .find_map(|it| it.strip_prefix("OMPI_COMM_WORLD_RANK="))?;
            let id = folder.file_name()?.to_str()?.to_string();
            is_rank.then(|| (rank.to_string(), id))
        });
        let mut ranks: Vec<_> = ranks.collect();
        ranks.sort();
        ranks
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for space in &self.addresses {
            ip(&format!("netns del {space}"));
        }
        _ = fs::remove_dir_all(&self.folder);
    }
}

/// Runs the program that configures networks, if it is installed.
fn ip(words: &str) -> Option<process::Output> {
    Command::new("ip").args(words.split(' ')).output().ok()
}

/// Fails if the numbers of ranks give different logs.
fn logs_are_equal(place: &Place) {
    let right = place.log(1, "--steps 5");
    assert_eq!(right.lines().count(), 5);
    for ranks in [2, 4, 8] {
        assert_eq!(place.log(ranks, "--steps 5"), right, "{ranks} ranks");
    }
}

/// Kills a rank after the first checkpoint, and continues with fewer ranks. Only
/// the first run divides the optimizer among the ranks.
fn a_killed_rank_ends_the_run(place: &Place) {
    let words = "--steps 1000000 --checkpoint last --shard-optimizer";
    let mut command = place.command(4, words);
    let run = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut run = run.spawn().unwrap();
    let checkpoint = place.folder.join("last");
    wait_for("a checkpoint", 60, || {
        assert!(run.try_wait().unwrap().is_none(), "{}", errors(&mut run));
        checkpoint.exists()
    });
    let ranks = place.ranks();
    assert_eq!(ranks.len(), 4, "{ranks:?}");
    let killed = Command::new("kill").args(["-KILL", &ranks[3].1]).status();
    assert!(killed.unwrap().success());
    wait_for("the end of all ranks", 10, || {
        run.try_wait().unwrap().is_some() && place.ranks().is_empty()
    });
    let errors = errors(&mut run);
    assert!(!run.wait().unwrap().success());
    assert_eq!(errors.matches("exited on signal 9").count(), 1, "{errors}");
    let steps = steps_of(&checkpoint) + 5;
    let rest = place.log(3, &format!("--steps {steps} --checkpoint last"));
    assert_eq!(rest.lines().count(), 5);
    let whole = place.log(1, &format!("--steps {steps}"));
    assert!(whole.ends_with(&format!("\n{rest}")), "{rest}, not {whole}");
}

/// Returns the number of steps before a checkpoint.
fn steps_of(checkpoint: &Path) -> u64 {
    let mut step = 0;
    io::resume_part(checkpoint, "step", &mut step).unwrap();
    step
}

fn errors(run: &mut Child) -> String {
    std::io::read_to_string(run.stderr.take().unwrap()).unwrap()
}

fn wait_for(what: &str, seconds: u64, mut is_there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_there() {
        let waited = start.elapsed();
        assert!(waited < Duration::from_secs(seconds), "no {what}: {waited:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Promise: Two, four and eight processes write the same log as one, byte for
/// byte.
#[test]
#[ignore = "slow: 15 s, runs of processes"]
fn processes_write_the_same_log() {
    let test = "processes_write_the_same_log";
    let Some(place) = Place::this_machine(test) else { return };
    logs_are_equal(&place);
}

/// A wrong option is a mistake of all processes, and one of them says so.
#[test]
#[ignore = "slow: builds a program with MPI"]
fn a_wrong_option_is_reported_once() {
    let test = "a_wrong_option_is_reported_once";
    let Some(place) = Place::this_machine(test) else { return };
    let output = place.command(4, "--no-such").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    let sentence = "error: cluster_names has no option `--no-such`";
    assert_eq!(errors.matches(sentence).count(), 1, "{errors}");
}

/// The ranks print how much of the optimizer's state each of them has.
#[test]
#[ignore = "slow: builds a program with MPI"]
fn the_state_of_each_rank_is_printed() {
    let test = "the_state_of_each_rank_is_printed";
    let Some(place) = Place::this_machine(test) else { return };
    let output = place.command(2, "--steps 1 --shard-optimizer").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let sentence = "optimizer state of each rank: 112, 109 kB\n";
    assert!(text.ends_with(sentence), "{text}");
}

/// Promise: A killed process ends the run of all within 10 seconds, and the last
/// checkpoint continues with a different number of processes to the same losses.
#[test]
#[ignore = "slow: 20 s, waits for a checkpoint of four processes"]
fn a_killed_process_ends_all() {
    let test = "a_killed_process_ends_all";
    let Some(place) = Place::this_machine(test) else { return };
    a_killed_rank_ends_the_run(&place);
}

/// Promise: On two machines that a network connects, the log has the same bytes,
/// and a killed process ends the run of all.
#[test]
#[ignore = "slow: 45 s, runs of processes in two network namespaces"]
fn network_namespaces_are_like_machines() {
    let test = "network_namespaces_are_like_machines";
    let Some(place) = Place::two_namespaces(test) else { return };
    logs_are_equal(&place);
    a_killed_rank_ends_the_run(&place);
}
