//! `cargo learn book`: the pinned mdBook, built into the target folder.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command as Child;
use std::time::Duration;
use std::{fs, thread};

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::machine;
use crate::process::{self, Ending};
use crate::setup::is_network_trouble;
use crate::speech::say;

/// The one mdBook that the book is written for.
pub(crate) const VERSION: &str = "0.5.4";

pub(crate) const COMMAND: Command = Command {
    name: "book",
    usage: "[--open] [--build]",
    summary: "build the book and serve it on this machine",
    page: "\
Builds the book and serves it at the address that it prints, until Ctrl-C; a
page that you edit is rebuilt. --open opens it in your browser, --build only
builds it.

The first time it compiles the mdBook that the book is written for, which takes
a few minutes. It goes into the target folder, not into your system.",
    run,
};

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    let mut words = Words::new(COMMAND.name, args);
    let open = words.flag("--open");
    let only_build = words.flag("--build");
    words.rest(0)?;
    let mdbook = mdbook(checkout)?;
    let log = checkout.log("book")?;
    let complaints = build(checkout, &mdbook, &log)?;
    for line in &complaints {
        say!("{line}");
    }
    let place = folder(checkout).join("index.html");
    say!("The book is built: {}", checkout.shown(&place));
    if only_build {
        return Ok(());
    }
    let port = free_port();
    say!("It is served at http://localhost:{port} until you press Ctrl-C.");
    let mut serve = book_command(checkout, &mdbook, "serve");
    serve.args(["--hostname", "localhost", "--port", &port.to_string()]);
    if open {
        serve.arg("--open");
    }
    // Its news on every request would bury our lines.
    serve.env("MDBOOK_LOG", "warn");
    process::hand_over(&mut serve)
}

/// Builds the book and returns what mdBook complained about. mdBook itself
/// calls a page with a missing include a success.
pub(crate) fn build(
    checkout: &Checkout,
    mdbook: &Path,
    log: &Path,
) -> Result<Vec<String>, Stop> {
    let mut command = book_command(checkout, mdbook, "build");
    let limit = Duration::from_secs(120);
    let ending =
        process::follow("building the book", &mut command, log, limit)?;
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if ending != Ending::Exited(0) {
        for line in text.lines() {
            say!("{line}");
        }
        let complaint = process::complaint("mdbook build", &ending);
        return Err(Stop::Failed(complaint));
    }
    let is_complaint = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("WARN") || line.starts_with("ERROR")
    };
    Ok(text.lines().filter(is_complaint).map(str::to_string).collect())
}

fn book_command(checkout: &Checkout, mdbook: &Path, verb: &str) -> Child {
    let mut command = Child::new(mdbook);
    command.arg(verb).arg(checkout.root.join("book"));
    command.arg("--dest-dir").arg(folder(checkout));
    command
}

fn folder(checkout: &Checkout) -> PathBuf {
    checkout.target.join("book")
}

/// mdBook's usual port, or any other that nobody uses.
fn free_port() -> u16 {
    let bind = |port| TcpListener::bind(("127.0.0.1", port));
    let listener = bind(3000).or_else(|_| bind(0));
    listener
        .and_then(|listener| listener.local_addr())
        .map_or(3000, |address| address.port())
}

/// The pinned mdBook: ours, else the same version on the search path.
pub(crate) fn installed(checkout: &Checkout) -> Option<PathBuf> {
    let ours = checkout.target.join("tools/bin/mdbook");
    let candidates = [Some(ours), machine::program("mdbook")];
    candidates.into_iter().flatten().find(|path| {
        let said = machine::answer(&path.to_string_lossy(), &["--version"]);
        said.is_some_and(|it| it == format!("mdbook v{VERSION}"))
    })
}

/// The pinned mdBook, compiled first when it is not there.
pub(crate) fn mdbook(checkout: &Checkout) -> Result<PathBuf, Stop> {
    if let Some(path) = installed(checkout) {
        return Ok(path);
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    say!("Compiling mdBook {VERSION}, once; on {cores} cores this takes");
    say!("a few minutes.");
    let log = checkout.log("mdbook")?;
    let tools = checkout.target.join("tools");
    let scratch = tools.join("build");
    let mut command = checkout.cargo(&["install", "mdbook", "--locked"]);
    command.args(["--version", VERSION]).arg("--root").arg(&tools);
    command.arg("--target-dir").arg(&scratch);
    for (name, value) in QUICK_PROFILE {
        command.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
    }
    let what = format!("compiling mdBook {VERSION}");
    let limit = Duration::from_secs(1200);
    let ending = process::follow(&what, &mut command, &log, limit)?;
    if ending == Ending::Exited(0) {
        let _ = fs::remove_dir_all(&scratch);
        return Ok(tools.join("bin/mdbook"));
    }
    let text = fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let place = checkout.shown(&log);
    if text.lines().any(is_network_trouble) {
        return Err(Stop::Failed(format!(
            "could not reach the package registry to get mdBook {VERSION}: \
             check the connection, then run this again (the log is {place})"
        )));
    }
    for line in process::excerpt(&log, 20) {
        say!("{line}");
    }
    let complaint = process::complaint(&what, &ending);
    Err(Stop::Failed(format!("{complaint}; the whole log is {place}")))
}

/// A book of this size builds in well under a second without any
/// optimization, so mdBook's own build need not wait for one.
const QUICK_PROFILE: &[(&str, &str)] = &[
    ("OPT_LEVEL", "0"),
    ("CODEGEN_UNITS", "16"),
    ("DEBUG", "0"),
    ("LTO", "off"),
];
