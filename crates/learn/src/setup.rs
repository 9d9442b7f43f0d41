//! `cargo learn setup`: lists what is missing and the commands that install
//! it, and runs them with the system's package manager.

use std::path::Path;
use std::process::Command as Child;
use std::{fs, io::Write};

use profile::Plugin;

use crate::checkout::{Checkout, cannot_write};
use crate::command::{Args, Command, Stop};
use crate::machine::{self, Audience, PackageManager, Tool};
use crate::process::{self, Ending};
use crate::terminal::{self, say};

pub(crate) const COMMAND: Command = Command {
    name: "setup",
    usage: "[--yes] [--authors] [--pages]",
    summary: "show what is missing here, and offer to install it",
    page: "\
Looks for an OpenCL loader, an OpenCL driver and Oclgrind, and shows the
commands of this system's package manager that install what is missing.

On a terminal it asks before it runs them; --yes runs them at once. Without a
terminal and without --yes it installs nothing. Installing needs root, except
with Homebrew: without root the commands are shown with sudo, for you to run.

If Oclgrind, its headers and a C++ compiler are installed, it compiles the
plugin of `cargo learn profile`, crates/profile/plugin.cpp, into target/tools.

Part 1 and half of Part 3 need none of this. --authors adds the tools for
changing the course, such as the spell checker of `cargo learn test`, and
--pages also adds the tools that compile the engine of the pages.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let yes = args.flag("--yes");
    let authors = args.flag("--authors");
    let audience = match args.flag("--pages") {
        true => Audience::PageAuthor,
        false if authors => Audience::Author,
        false => Audience::Learner,
    };
    args.rest(0)?;
    let missing = machine::missing(audience);
    if missing.is_empty() {
        build_plugin(checkout);
        say!("Everything is installed.");
        return Ok(());
    }
    show(&missing);
    let done = if yes {
        install(checkout, &missing)
    } else {
        offer(checkout, &missing)
    };
    build_plugin(checkout);
    done
}

/// Builds the plugin of Oclgrind if everything that it needs is installed. A
/// failure is printed and stops nothing else.
fn build_plugin(checkout: &Checkout) {
    if machine::find_program("oclgrind").is_none() || !profile::can_build() {
        return;
    }
    if let Err(sentence) = Plugin::find(&checkout.target.join("tools")) {
        for line in terminal::wrapped(&format!("No profiles here: {sentence}."))
        {
            say!("{line}");
        }
    }
}

/// Returns the command that installs these tools without asking.
fn setup_command(missing: &[&Tool]) -> String {
    let flag = match missing.iter().map(|tool| tool.audience).max() {
        Some(Audience::Cluster) => {
            return "cargo learn cluster names --yes".to_string();
        }
        Some(Audience::PageAuthor) => " --pages",
        Some(Audience::Author) => " --authors",
        _ => "",
    };
    format!("cargo learn setup --yes{flag}")
}

/// Asks whether to install, or prints the command if output is not a terminal.
pub(crate) fn offer(
    checkout: &Checkout,
    missing: &[&Tool],
) -> Result<(), Stop> {
    let Some(packages) = PackageManager::find() else { return Ok(()) };
    if commands(packages, missing).is_empty() {
        return Ok(());
    }
    if packages.needs_root() && !machine::is_root() {
        say!("These commands need root, so run them yourself.");
        return Ok(());
    }
    if !terminal::can_ask() {
        say!("To run them: {}", setup_command(missing));
        return Ok(());
    }
    if terminal::agrees("Run them now?") {
        return install(checkout, missing);
    }
    say!("Nothing was installed. To install: {}", setup_command(missing));
    Ok(())
}

/// Prints the missing tools, their purpose and the commands that install them.
pub(crate) fn show(missing: &[&Tool]) {
    say!("Missing here:");
    for tool in missing {
        let word = if tool.needed { "" } else { " (optional)" };
        say!("  {}{word}: {}", tool.name, tool.purpose);
    }
    say!();
    let Some(packages) = PackageManager::find() else {
        say!(
            "Found no package manager that is supported here (apt, dnf, pacman"
        );
        say!("or Homebrew). On Debian the packages are called:");
        for tool in missing {
            let package = tool.package(PackageManager::Apt).unwrap_or_default();
            say!("  {package}");
        }
        return;
    };
    let commands = commands(packages, missing);
    if !commands.is_empty() {
        say!("The commands that install them:");
        let needs_root = packages.needs_root() && !machine::is_root();
        for command in &commands {
            let sudo = if needs_root { "sudo " } else { "" };
            say!("  {sudo}{command}");
        }
        say!();
    }
    for tool in missing.iter().filter(|it| it.package(packages).is_none()) {
        say!(
            "This system has no package for {}; see its home page.",
            tool.name
        );
    }
}

/// Returns the commands that install all packages at once, because a package
/// manager cleans up after each call.
fn commands(packages: PackageManager, missing: &[&Tool]) -> Vec<String> {
    let names: Vec<&str> =
        missing.iter().filter_map(|tool| tool.package(packages)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let install = format!("{} {}", packages.install(), names.join(" "));
    let refresh = packages.refresh().map(str::to_string);
    refresh.into_iter().chain([install]).collect()
}

/// Installs these tools, and returns an error if one is still missing.
pub(crate) fn install(
    checkout: &Checkout,
    missing: &[&Tool],
) -> Result<(), Stop> {
    let Some(packages) = PackageManager::find() else {
        return still_missing(missing, "install the packages above by hand");
    };
    if packages.needs_root() && !machine::is_root() {
        return still_missing(
            missing,
            &format!(
                "installing needs root: run the commands above, or `{}` as root",
                setup_command(missing)
            ),
        );
    }
    let log = checkout.log("setup")?;
    let mut refused = run_package_commands(&commands(packages, missing), &log)?;
    // A package that this release lacks must not stop the others.
    let each = missing.iter().filter_map(|tool| tool.package(packages));
    let each: Vec<String> =
        each.map(|name| format!("{} {name}", packages.install())).collect();
    if !refused.is_empty() && each.len() > 1 && network_trouble(&log).is_none()
    {
        say!(
            "  Installing all packages at once failed. Installing them one by one:"
        );
        refused = run_package_commands(&each, &log)?;
    }
    let left = missing.iter().filter(|tool| !(tool.is_there)());
    let left: Vec<&Tool> = left.copied().collect();
    if !left.iter().any(|tool| tool.package(packages).is_some()) {
        say!();
        say!("Everything that this system has packages for is installed.");
        return Ok(());
    }
    explain(checkout, &left, &log, &refused)
}

/// Runs the commands and returns a message for each that failed.
fn run_package_commands(
    commands: &[String],
    log: &Path,
) -> Result<Vec<String>, Stop> {
    let mut refused = Vec::new();
    for command in commands {
        say!("  {command}");
        let ending = run_package_command(command, log)?;
        if ending != Ending::Exited(0) {
            refused.push(process::failure_message(command, &ending));
        }
    }
    Ok(refused)
}

/// Runs one command of the package manager, with its output in the log.
/// Killing a package manager would leave a broken system, so it runs to its
/// end and handles Ctrl-C itself.
fn run_package_command(command: &str, log: &Path) -> Result<Ending, Stop> {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(log)
        .map_err(|error| cannot_write(log, &error))?;
    writeln!(file, "$ {command}").map_err(|error| cannot_write(log, &error))?;
    let mut words = command.split(' ');
    let what = words.next().unwrap_or_default();
    let mut child = Child::new(what);
    child.args(words);
    child.env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C");
    process::run_uninterrupted(what, &mut child, log)
}

/// Returns an error that explains why something is still missing.
fn explain(
    checkout: &Checkout,
    left: &[&Tool],
    log: &Path,
    refused: &[String],
) -> Result<(), Stop> {
    let place = checkout.shown(log);
    if let Some(line) = network_trouble(log) {
        let why = format!(
            "could not reach the package servers ({}): check the connection, \
             then run `{}` again (the log is {place})",
            terminal::truncate(line.trim(), 70),
            setup_command(left)
        );
        return still_missing(left, &why);
    }
    say!();
    say!("The last lines of {place}:");
    for line in process::excerpt(log, 12) {
        say!("  {line}");
    }
    still_missing(left, refused.first().map_or("see the log", String::as_str))
}

fn still_missing(left: &[&Tool], why: &str) -> Result<(), Stop> {
    let names: Vec<&str> = left.iter().map(|tool| tool.name).collect();
    Err(Stop::Failed(format!("still missing: {}; {why}", names.join(", "))))
}

/// Returns the first line of a log in which a package manager or cargo reports
/// that a server could not be reached.
pub(crate) fn network_trouble(log: &Path) -> Option<String> {
    const SIGNS: [&str; 13] = [
        "Temporary failure resolving",
        "Could not resolve",
        "Couldn't resolve",
        "Could not connect",
        "Unable to connect",
        "Network is unreachable",
        "Connection timed out",
        "Connection refused",
        "Cannot download repomd.xml",
        "failed to retrieve some files",
        "download of config.json failed",
        "network failure",
        "spurious network error",
    ];
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let is_trouble = |line: &&str| SIGNS.iter().any(|sign| line.contains(sign));
    text.lines().find(is_trouble).map(str::to_string)
}
