//! `cargo learn doctor`: what this machine has, and which parts it can run.

use std::fs;
use std::time::Duration;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::examples::Program;
use crate::machine::Audience;
use crate::process::{self, Ending};
use crate::terminal::{say, truncate};
use crate::{book, machine};

pub(crate) const COMMAND: Command = Command {
    name: "doctor",
    usage: "",
    summary: "what this machine has, and what each part can do here",
    page: "\
Checks the toolchain, the OpenCL loader, the drivers' files, the devices and the
tools, and says what each part of the course can do here and what to do next.

Files are checked first. Then a child process asks the drivers for their
devices and runs a kernel on each of them, with a time limit, because a driver
can hang or crash.",
    run,
};

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    args.rest(0)?;
    say!("Toolchain");
    let toolchain = toolchain(checkout);
    let shown = toolchain.as_ref().map_or_else(String::as_str, String::as_str);
    row("Rust", shown);
    let linker = machine::find_program("cc").map(|it| it.display().to_string());
    row("linker (cc)", linker.as_deref().unwrap_or("not found"));
    say!();
    say!("OpenCL");
    let loader = machine::loader().map(|it| it.display().to_string());
    row("loader", loader.as_deref().unwrap_or("not found (libOpenCL.so.1)"));
    let drivers = machine::drivers();
    let none = format!("none in {}", machine::vendors().display());
    row("drivers", &if drivers.is_empty() { none } else { drivers.join(", ") });
    let devices = if loader.is_none() || drivers.is_empty() {
        row("devices", "no driver lists any");
        Vec::new()
    } else {
        devices(checkout)
    };
    let runs = !devices.is_empty() && runs_kernels(checkout);
    say!();
    say!("What works here");
    row("part 1", "everything: it needs nothing but Rust");
    let (part2, part3) = match (devices.is_empty(), runs) {
        (true, _) => (
            "you can read it; running it needs an OpenCL device",
            "the device cpu",
        ),
        (_, false) => {
            ("you can read it, until a device runs kernels", "the device cpu")
        }
        _ => ("everything", "the device cpu and the OpenCL devices above"),
    };
    row("part 2", part2);
    row("part 3", part3);
    say!();
    say!("Tools");
    let mdbook = book::installed(checkout).map(|it| checkout.shown(&it));
    let later = format!("mdBook {}", book::VERSION);
    row(&later, mdbook.as_deref().unwrap_or("comes with cargo learn book"));
    let oclgrind = machine::find_program("oclgrind");
    let oclgrind = oclgrind.map(|it| it.display().to_string());
    row("oclgrind", oclgrind.as_deref().unwrap_or("not found"));
    row(
        "its counters",
        match profile::can_build() {
            true => "cargo learn profile",
            false => "no compiler or no headers for crates/profile/plugin.cpp",
        },
    );
    say!();
    let next = match machine::missing(Audience::Learner).is_empty() {
        true => "cargo learn",
        false => "cargo learn setup",
    };
    say!("Next: {next}");
    toolchain.map(drop).map_err(Stop::Failed)
}

fn row(name: &str, value: &str) {
    say!("  {name:<13} {value}");
}

/// Returns the compiler's version, or an error if it is too old or missing.
fn toolchain(checkout: &Checkout) -> Result<String, String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let Some(said) = machine::command_output(&rustc, &["--version"]) else {
        return Err(
            "cannot run rustc: install Rust from https://rustup.rs".to_string()
        );
    };
    let text = fs::read_to_string(checkout.root.join("Cargo.toml"));
    let text = text.unwrap_or_default();
    let wanted = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim() == "rust-version").then(|| value.to_string())
    });
    let found = said.split(' ').nth(1).unwrap_or_default();
    match wanted {
        Some(wanted) if numbers(found) < numbers(&wanted) => Err(format!(
            "Rust {found} is older than the {wanted} that the course needs: \
             run `rustup update`"
        )),
        _ => Ok(said),
    }
}

/// Parses `1.95.0` into numbers that can be compared.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-']).map_while(|it| it.parse().ok()).collect()
}

/// Prints and returns the devices that the drivers list.
fn devices(checkout: &Checkout) -> Vec<String> {
    let asked = ask(checkout, &[], "asking the drivers for their devices");
    let said = match &asked {
        Ok(said) => said,
        Err(stop) => {
            row("devices", stop.sentence().unwrap_or("cannot be asked"));
            return Vec::new();
        }
    };
    // A driver may print other lines.
    let lines = said.lines().filter(|line| line.starts_with("gpu:"));
    let devices: Vec<String> = lines.map(str::to_string).collect();
    if devices.is_empty() {
        row("devices", "the drivers have none");
    }
    for (index, device) in devices.iter().enumerate() {
        row(if index == 0 { "devices" } else { "" }, device);
    }
    devices
}

/// Runs the program `devices` of `crates/tools/` with one option in a child
/// process and returns its output.
fn ask(
    checkout: &Checkout,
    options: &[&str],
    what: &str,
) -> Result<String, Stop> {
    let program = Program::Tool("devices");
    program.build(checkout)?;
    let log = checkout.log("devices")?;
    let mut command = program.cargo(checkout, &["run", "--quiet"]);
    command.arg("--").args(options);
    let limit = Duration::from_secs(20);
    let ending = process::run_with_status(what, &mut command, &log, limit)?;
    let text = fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    if ending != Ending::Exited(0) {
        let complaint = process::failure_message(what, &ending);
        let last = text.lines().rfind(|it| !it.is_empty()).unwrap_or_default();
        let last = truncate(last, 200);
        return Err(Stop::Failed(format!("{complaint} ({last})")));
    }
    Ok(text)
}

/// Runs a kernel on each device, with a program of `crates/tools/`, and
/// returns whether at least one device ran it. A driver may list its devices
/// and still fail to run anything, for example because its cache is damaged or
/// the disk is full.
fn runs_kernels(checkout: &Checkout) -> bool {
    let what = "running a kernel on each device";
    let found = match ask(checkout, &["--run"], what) {
        Ok(found) => found,
        Err(stop) => {
            row("a kernel", stop.sentence().unwrap_or("cannot be run"));
            return false;
        }
    };
    let lines = found.lines().filter_map(|line| line.split_once('\t'));
    let mut runs = false;
    for (name, result) in lines {
        match (name, result) {
            ("cache", folder) => row("kernel cache", folder),
            (_, "ran") => {
                row("a kernel", &format!("compiled and run on {name}"));
                runs = true;
            }
            _ if name.starts_with("gpu:") => {
                row("a kernel", &format!("does not run on {name}. {result}"));
            }
            _ => {}
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(numbers("1.100.0") > numbers("1.95"));
        assert!(numbers("1.95.0-nightly") >= numbers("1.95"));
        assert!(numbers("1.94.1") < numbers("1.95"));
    }
}
