//! A training run is killed and resumed, and its losses are the same as
//! without the interruption.

mod kills;
mod run;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::{env, fs, thread};

use rungrad::Error;
use rungrad::io;
use rungrad::part3_unified::Device;

use kills::kills;
use run::Run;

const HELP: &str = "\
usage: cargo run --example part3_checkpoint -- [options]
       cargo run --example part3_checkpoint -- kills [options]
       cargo run --example part3_checkpoint -- show [options]
       cargo run --example part3_checkpoint -- forget [options]
       cargo run --example part3_checkpoint -- train FILE [options]

Without arguments it trains twice, each time in a separate process: once without
interruption, and once with a kill and a second process that resumes. `kills`
does this four times, with a kill after a random step, and prints the last
losses. `show` prints the file that a run writes after 50 steps, and `forget`
resumes from files that lack a part. `train FILE` trains and saves to FILE, and
resumes from FILE if it exists: kill it whenever you like, and start it again.

  --device D   cpu, gpu (the first OpenCL device) or gpu:1 (the second);
               default: RUNGRAD_DEVICE, or cpu
  --steps N    the number of steps (90)
  --seed N     the seed of the random steps of `kills` (0)
  --hang N     wait after step N, to be killed there";

/// Steps between two checkpoints.
const EVERY: u64 = 25;
/// The step after which the demonstration kills the run.
const KILLED: u64 = 57;

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let request = Request::of(&rungrad::args())?;
        match &request.what {
            What::Scene => scene(&request),
            What::Kills => kills(&request),
            What::Show => show(request.device),
            What::Forget => forget(request.device),
            What::Train(file) => train(file, &request),
        }
    })
}

/// Trains in this process and prints one line per step.
fn train(file: &Path, request: &Request) -> Result<(), Error> {
    // Report a missing folder now instead of after 25 steps.
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|it| !it.is_dir()) {
        return Err(Error::Usage(format!(
            "there is no folder {}; create it, or name a different file",
            folder.display()
        )));
    }
    let mut run = Run::new(0, request.device)?;
    run.train(file, request.steps, EVERY, |step, loss| {
        println!("step {step:>3}  loss {loss:.4}  bits {:08x}", loss.to_bits());
        if request.hang == Some(step) {
            loop {
                thread::park();
            }
        }
    })
}

/// The losses that a run printed, as text, by step.
type Losses = BTreeMap<u64, String>;

fn scene(request: &Request) -> Result<(), Error> {
    let folder = Folder::new()?;
    let [whole, broken] = ["whole", "broken"].map(|name| folder.0.join(name));

    println!("One process takes {} steps.", request.steps);
    let unbroken = ended(&whole, request)?;
    println!("A second one is killed after step {KILLED}.");
    let mut losses = killed(&broken, request, KILLED)?;
    let resumed = ended(&broken, request)?;
    let first = resumed.keys().next().copied().unwrap_or_default();
    println!(
        "A third one finds the file of the second and begins with step \
         {first}.\n"
    );
    println!("step  unbroken  killed  resumed");
    for step in [1, 50, 51, 56, 57, 58, request.steps] {
        let [a, b, c] = [&unbroken, &losses, &resumed]
            .map(|losses| losses.get(&step).map_or("", |line| &line[..6]));
        println!("{}", format!("{step:>4}  {a:<8}  {b:<6}  {c}").trim_end());
    }
    losses.extend(resumed);
    println!(
        "\n{} of {} losses have the same bits.",
        alike(&unbroken, &losses),
        unbroken.len()
    );
    Ok(())
}

/// Counts the steps whose losses have the same bits.
fn alike(unbroken: &Losses, losses: &Losses) -> usize {
    let same = |(step, line): &(&u64, &String)| losses.get(step) == Some(line);
    unbroken.iter().filter(same).count()
}

/// Trains to the end in a child process.
fn ended(file: &Path, request: &Request) -> Result<Losses, Error> {
    let (mut child, lines) = start(file, request, None)?;
    let losses = heard(lines, |_| false);
    child.wait().map_err(failed)?;
    Ok(losses)
}

/// Trains in a child process and kills it after a step with a signal that it
/// cannot handle.
fn killed(file: &Path, request: &Request, last: u64) -> Result<Losses, Error> {
    let (mut child, lines) = start(file, request, Some(last))?;
    let losses = heard(lines, |step| step == last);
    child.kill().map_err(failed)?;
    child.wait().map_err(failed)?;
    Ok(losses)
}

/// Starts this program as a child process that trains.
fn start(
    file: &Path,
    request: &Request,
    hang: Option<u64>,
) -> Result<(Child, impl Iterator<Item = String> + use<>), Error> {
    let mut command = Command::new(env::current_exe().map_err(failed)?);
    command.arg("train").arg(file).stdout(Stdio::piped());
    command.args(["--device", &request.device.to_string()]);
    command.args(["--steps", &request.steps.to_string()]);
    if let Some(step) = hang {
        command.args(["--hang", &step.to_string()]);
    }
    let mut child = command.spawn().map_err(failed)?;
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    Ok((child, lines.map_while(Result::ok)))
}

/// Reads the losses that a child prints, to the end or up to a step.
fn heard(
    lines: impl Iterator<Item = String>,
    is_last: impl Fn(u64) -> bool,
) -> Losses {
    let mut losses = Losses::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["step", step, "loss", loss, "bits", bits] = words[..] else {
            continue;
        };
        let step = step.parse().expect("a number of a step");
        losses.insert(step, format!("{loss} {bits}"));
        if is_last(step) {
            break;
        }
    }
    losses
}

/// Runs the first 50 steps.
fn fifty(device: Device) -> Result<Run, Error> {
    let mut run = Run::new(0, device)?;
    for _ in 0..50 {
        run.step()?;
    }
    Ok(run)
}

// ANCHOR: show
/// Prints the layout of a checkpoint file: the header length in eight bytes,
/// the JSON header, and the data. The header is a single line in the file;
/// here each entry gets its own line.
fn show(device: Device) -> Result<(), Error> {
    let folder = Folder::new()?;
    let path = folder.0.join("run");
    io::checkpoint(&path, &fifty(device)?.parts())?;

    let bytes = fs::read(&path).map_err(failed)?;
    let (length, rest) = bytes.split_first_chunk().expect("eight bytes");
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header = String::from_utf8_lossy(header).replace("},", "},\n");
    println!("{length:?}\n{}", header.trim_end());
    println!("{:?} and so on, {} bytes", &numbers[..8], numbers.len());
    Ok(())
}
// ANCHOR_END: show

/// Writes checkpoints that lack one part each, and resumes from them.
fn forget(device: Device) -> Result<(), Error> {
    let (folder, mut run) = (Folder::new()?, fifty(device)?);
    let files = [0, 1, 2, 3, 4].map(|part| folder.0.join(part.to_string()));
    for (forgotten, file) in files.iter().enumerate() {
        let mut parts = run.parts().into_iter().collect::<Vec<_>>();
        parts.remove(forgotten);
        io::checkpoint(file, &parts)?;
    }
    let mut unbroken = Vec::new();
    for _ in 0..10 {
        unbroken.push(run.step()?.to_bits());
    }
    println!("forgotten  the first of 10 losses that differs");
    for (forgotten, file) in files.iter().enumerate() {
        let mut again = Run::new(1, device)?;
        let mut parts = again.parts().into_iter().collect::<Vec<_>>();
        let (name, _) = parts.remove(forgotten);
        io::resume(file, &mut parts)?;
        let mut first = None;
        for (at, right) in unbroken.iter().enumerate() {
            let is_right = again.step()?.to_bits() == *right;
            first = first.or((!is_right).then_some(at + 1));
        }
        let first = first.map_or("none".to_string(), |at| at.to_string());
        println!("{name:<9}  {first}");
    }
    Ok(())
}

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Error> {
        let name = format!("rungrad-checkpoint-{}", std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(failed)?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it cannot be removed, the system cleans it up eventually.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::File(format!(
        "a process or its file failed: {error}; try again, and check that the \
         disk has room for temporary files"
    ))
}

/// Which demonstration to run.
enum What {
    Scene,
    Kills,
    Show,
    Forget,
    Train(PathBuf),
}

/// The parsed command line.
struct Request {
    what: What,
    device: Device,
    steps: u64,
    seed: u64,
    hang: Option<u64>,
}

impl Request {
    fn of(words: &[String]) -> Result<Request, Error> {
        let (mut what, mut device) = (What::Scene, None);
        let (mut steps, mut seed, mut hang) = (90, 0, None);
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "kills" => what = What::Kills,
                "show" => what = What::Show,
                "forget" => what = What::Forget,
                "train" => what = What::Train(file(words.next())?),
                "--device" => {
                    device = Some(words.next().unwrap_or("").parse()?)
                }
                "--steps" => steps = number(word, words.next(), 1)?,
                "--seed" => seed = number(word, words.next(), 0)?,
                "--hang" => hang = Some(number(word, words.next(), 1)?),
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_checkpoint does not know `{word}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        let last_kill = match what {
            What::Scene => KILLED,
            What::Kills => 1,
            _ => 0,
        };
        if last_kill > 0 && (steps <= last_kill || hang.is_some()) {
            return Err(Error::Usage(format!(
                "the run is killed after step {last_kill} or later, so --steps \
                 must be larger, and --hang is only for `train FILE`"
            )));
        }
        let device = device.map_or_else(Device::from_env, Ok)?;
        Ok(Request { what, device, steps, seed, hang })
    }
}

/// Parses the file name after `train`.
fn file(value: Option<&str>) -> Result<PathBuf, Error> {
    let named = value.filter(|value| !value.starts_with("--"));
    named.map(PathBuf::from).ok_or_else(|| {
        Error::Usage(
            "train takes the name of a file, such as train run.safetensors"
                .to_string(),
        )
    })
}

/// Parses the number that follows an option.
fn number(option: &str, value: Option<&str>, least: u64) -> Result<u64, Error> {
    let number = value.and_then(|word| word.parse().ok());
    number.filter(|number| *number >= least).ok_or_else(|| {
        let found = value.map_or("nothing".to_string(), |w| format!("`{w}`"));
        Error::Usage(format!(
            "{option} takes a whole number from {least}, not {found}; for \
             example {option} 90"
        ))
    })
}
