//! Counts how a kernel would use a GPU, without a GPU. `cargo learn
//! profile` runs this program.
//!
//! Reading order: [`request`] parses the command line, [`simulated`] runs a
//! program under Oclgrind, and [`launches`] is what this program does there.
//! The package `profile` does the counting, and the package `testkit` launches
//! the kernels as in the tests.

mod launches;
mod request;
mod simulated;

use std::io::{IsTerminal, stdout};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use profile::{Access, Launch, SECTOR};
use rungrad::Error;

use request::Request;

fn main() -> ExitCode {
    rungrad::run_with_help(request::HELP, || {
        let request = Request::parse(&rungrad::args())?;
        if request.name.is_empty() {
            println!("{}", request::HELP);
            return Ok(());
        }
        match (request.launches, &request.size) {
            (true, Some(size)) => launches::launch(&request.name, size),
            _ if request.counters => count(&request),
            _ => profile(&request),
        }
    })
}

/// Prints a line of totals for each kernel.
fn count(request: &Request) -> Result<(), Error> {
    println!("{}", profile::COUNTERS);
    for name in [&request.name].into_iter().chain(&request.others) {
        let mut program = program(name, request)?;
        let all = simulated::launches(&mut program, request.warp)?;
        for launch in &largest(all, request)? {
            println!("{}", profile::counters(launch));
        }
    }
    Ok(())
}

fn profile(request: &Request) -> Result<(), Error> {
    let mut program = program(&request.name, request)?;
    let all = simulated::launches(&mut program, request.warp)?;
    let count = all.len();
    let shown = largest(all, request)?;
    let width = width();
    for (at, launch) in shown.iter().enumerate() {
        if at > 0 {
            println!();
        }
        let (card, registers) = (request.card, request.registers);
        print!("{}", profile::report(launch, card, registers, width));
    }
    if count > shown.len() {
        println!(
            "\n{count} launches ran; of each kernel the largest is shown."
        );
    }
    draw(request, &shown)
}

/// Returns the command that launches the kernels.
fn program(name: &str, request: &Request) -> Result<Command, Error> {
    if let Some(program) = &request.program {
        let mut command = Command::new(program);
        // The check then runs as its own child under Oclgrind.
        command.env("RUNGRAD_CHECK_ROLE", "simulated");
        return Ok(command);
    }
    let size = launches::size(name, request.size.as_deref())?;
    let own = env::current_exe().map_err(|error| {
        Error::Device(format!("this program cannot find itself: {error}"))
    })?;
    let mut command = Command::new(own);
    command.args(["--launch", name, "--size", &launches::format_size(&size)]);
    Ok(command)
}

/// Returns the largest launch of each kernel. For a check, only the learner's
/// kernels count.
fn largest(all: Vec<Launch>, request: &Request) -> Result<Vec<Launch>, Error> {
    let file = request.file.as_ref().map(fs::read_to_string);
    let file = file.map(Result::unwrap_or_default);
    let is_meant = |launch: &Launch| {
        let name = format!("void {}(", launch.kernel);
        file.as_ref().is_none_or(|text| text.contains(&name))
    };
    let size = |launch: &Launch| -> u64 {
        launch.lines.values().map(|work| work.items).sum()
    };
    let mut largest: Vec<Launch> = Vec::new();
    for launch in all.into_iter().filter(is_meant) {
        match largest.iter_mut().find(|it| it.kernel == launch.kernel) {
            Some(known) if size(known) < size(&launch) => *known = launch,
            Some(_) => {}
            None => largest.push(launch),
        }
    }
    if largest.is_empty() {
        return Err(Error::Device(format!(
            "no kernel of {} was launched: `cargo learn check {}` says why",
            request.name, request.name
        )));
    }
    Ok(largest)
}

/// Draws the requested line, or the one whose warps access the most memory.
fn draw(request: &Request, launches: &[Launch]) -> Result<(), Error> {
    let cost = |access: &Access| match access.is_local {
        true => access.worst().wavefronts(access.bytes)[0],
        false => access.worst().parts(access.bytes, SECTOR),
    };
    let all = launches
        .iter()
        .flat_map(|launch| launch.accesses.iter().map(move |it| (launch, it)));
    let asked =
        |access: &Access| request.line.is_none_or(|line| line == access.line);
    let chosen = all
        .filter(|(_, access)| asked(access))
        .max_by_key(|(_, access)| (!access.is_local, cost(access)));
    let Some((launch, access)) = chosen else {
        return match request.line {
            Some(line) => Err(Error::Usage(format!(
                "line {line} touches no memory; the table has those that do"
            ))),
            None => Ok(()),
        };
    };
    let out = &request.out;
    let name = out.file_stem().unwrap_or_default().to_string_lossy();
    let picture = profile::picture(launch, access, &name);
    fs::write(out, picture).map_err(|error| {
        Error::File(format!("cannot write {}: {error}", out.display()))
    })?;
    println!(
        "\nA warp at line {}, as a picture: {}",
        access.line,
        out.display()
    );
    Ok(())
}

/// Returns the width of the terminal, or 78 if the output is not a terminal.
fn width() -> usize {
    let named = env::var("COLUMNS").ok().and_then(|it| it.parse().ok());
    let asked = || {
        let mut stty = Command::new("stty");
        let answer = stty.arg("size").stdin(Stdio::inherit()).output().ok()?;
        let text = String::from_utf8(answer.stdout).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    };
    let asked = || asked().filter(|_| stdout().is_terminal());
    named.or_else(asked).map_or(78, |width: usize| width.clamp(60, 200))
}
