//! Runs a program under Oclgrind with the plugin and a time limit.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use profile::{Launch, Plugin};
use rungrad::Error;

/// Longer than any useful launch takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(10);

/// Runs a program and returns what the plugin wrote about its launches.
pub(crate) fn launches(
    program: &mut Command,
    warp: usize,
) -> Result<Vec<Launch>, Error> {
    let tools = profile::tools();
    let plugin = Plugin::find(&tools).map_err(Error::Device)?;
    let log = tools.join(format!("profile-{}.log", process::id()));
    let mut oclgrind = Command::new("oclgrind");
    // Graphics processors have this much local memory. The optimizer is
    // disabled so that the source is executed line by line.
    oclgrind.args(["--local-mem-size", "49152"]);
    oclgrind.args(["--build-options", "-cl-opt-disable"]);
    plugin.attach(&mut oclgrind, warp, &log);
    oclgrind.arg(program.get_program()).args(program.get_args());
    let given = program.get_envs().filter_map(|(name, it)| Some((name, it?)));
    oclgrind.envs(given).env_remove("RUNGRAD_DEVICE");
    let ended = watch(&mut oclgrind);
    let text = fs::read_to_string(&log).unwrap_or_default();
    let _ = fs::remove_file(&log);
    let said = ended?;
    let launches = profile::read(&text).map_err(Error::Device)?;
    if launches.is_empty() {
        return Err(Error::Device(match said.lines().last() {
            Some(line) => format!(
                "{} launched no kernel; it said: {line}",
                shown(program)
            ),
            None => format!("{} launched no kernel", shown(program)),
        }));
    }
    Ok(launches)
}

fn shown(program: &Command) -> String {
    let name = Path::new(program.get_program()).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Runs the program until it ends or the time limit passes, and returns its
/// output. The program may end when its standard input closes.
fn watch(command: &mut Command) -> Result<String, Error> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            Error::Device(format!("Oclgrind cannot be started: {error}"))
        })?;
    let mut input = child.stdin.take().expect("it is piped");
    let _ = input.write_all(b"\n");
    let mut out = child.stdout.take().expect("it is piped");
    let mut errors = child.stderr.take().expect("it is piped");
    // Both streams are read while it runs, because a full pipe would block it.
    let out = thread::spawn(move || read(&mut out));
    let errors = thread::spawn(move || read(&mut errors));
    let in_time = wait(&mut child);
    let said = [out, errors].map(|reader| reader.join().unwrap_or_default());
    if !in_time {
        return Err(Error::Device(format!(
            "it did not end within {} s in Oclgrind, which takes about a \
             thousand times as long as a device, and was stopped: choose a \
             smaller size or a smaller program",
            LIMIT.as_secs()
        )));
    }
    Ok(said.concat())
}

fn read(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    // Output before a read error is still useful.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).trim_end().to_string()
}

fn wait(child: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if !matches!(child.try_wait(), Ok(None)) {
            return true;
        }
        thread::sleep(PAUSE);
    }
    // It may just have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    false
}
