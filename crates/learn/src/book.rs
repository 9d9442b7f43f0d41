//! `cargo learn book`: the pinned mdBook, built into the target folder.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command as Child, Stdio};
use std::time::{Duration, SystemTime};
use std::{fs, thread};

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::Contents;
use crate::machine;
use crate::process::{self, Ending};
use crate::serve;
use crate::setup::network_trouble;
use crate::terminal::say;

/// The mdBook version that the book is written for.
pub(crate) const VERSION: &str = "0.5.4";

pub(crate) const COMMAND: Command = Command {
    name: "book",
    usage: "[--open] [--build]",
    summary: "build the book and serve it on this machine",
    page: "\
Builds the book and serves it at the address that it prints, until Ctrl-C.
Pages that you edit are rebuilt. --open opens the book in your browser, and
--build only builds it.

The first call compiles the version of mdBook that the book is written for,
which takes a few minutes. It is stored in the target folder, not in your
system.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let open = args.flag("--open");
    let only_build = args.flag("--build");
    args.rest(0)?;
    let mdbook = mdbook(checkout)?;
    let log = checkout.log("book")?;
    // Changes saved from now on may be too late for the first build.
    let before = stamp(checkout);
    let complaints = build(checkout, &mdbook, &log)?;
    for line in &complaints {
        say!("{line}");
    }
    let place = folder(checkout).join("index.html");
    say!("The book is built: {}", checkout.shown(&place));
    if only_build {
        return Ok(());
    }
    let refused = |error| Stop::Failed(format!("cannot serve it: {error}"));
    let listener = serve::listen().map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let address = format!("http://{address}");
    // Other commands link to the pages while they are served.
    let _ = fs::write(address_file(checkout), &address);
    serve::start(listener, &folder(checkout)).map_err(refused)?;
    say!("It is served at {address} until you press Ctrl-C.");
    if open && !open_in_browser(&address) {
        say!("No browser could be started from here: open that address.");
    }
    rebuild(checkout, &mdbook, &log, before)
}

/// Describes where to read a page: its title and, while the book is being
/// served, its address.
pub(crate) fn reference(checkout: &Checkout, page: &str) -> String {
    let contents = Contents::read(checkout);
    let Some(title) = contents.title(page) else {
        return format!("book/src/{page}");
    };
    if let Some(address) = served_address(checkout) {
        let page = page.trim_end_matches(".md");
        return format!("{title}, {address}/{page}.html");
    }
    match contents.number(page) {
        Some(number) => {
            format!("{title}, chapter {number} of cargo learn book")
        }
        None => format!("{title}, in cargo learn book"),
    }
}

/// Returns the address of the running server, if there is one.
fn served_address(checkout: &Checkout) -> Option<String> {
    let address = fs::read_to_string(address_file(checkout)).ok()?;
    let socket = address.strip_prefix("http://")?.parse().ok()?;
    let limit = Duration::from_millis(100);
    TcpStream::connect_timeout(&socket, limit).is_ok().then_some(address)
}

fn address_file(checkout: &Checkout) -> PathBuf {
    checkout.target.join("learn-logs/book.address")
}

/// Opens the address in the system's browser, or returns false without an
/// opener.
fn open_in_browser(address: &str) -> bool {
    let openers = ["open", "wslview", "xdg-open"];
    let opener = openers.iter().find_map(|name| machine::find_program(name));
    opener.is_some_and(|opener| {
        let mut command = Child::new(opener);
        command.arg(address).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        // If no browser was open, the opener may run until the browser closes.
        command.spawn().is_ok()
    })
}

/// Rebuilds the book whenever a file that it shows has changed.
fn rebuild(
    checkout: &Checkout,
    mdbook: &Path,
    log: &Path,
    mut before: Stamp,
) -> ! {
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = stamp(checkout);
        if now == before {
            continue;
        }
        before = now;
        let _ = fs::write(log, "");
        match build(checkout, mdbook, log) {
            Ok(complaints) => {
                for line in &complaints {
                    say!("{line}");
                }
                say!("Built again: reload the page.");
            }
            Err(stop) => say!("{}", stop.sentence().unwrap_or_default()),
        }
    }
}

/// The modification times of the book's files and of the files that it quotes.
type Stamp = BTreeMap<PathBuf, Option<SystemTime>>;

fn stamp(checkout: &Checkout) -> Stamp {
    let quoted = ["src", "kernels", "examples", "exercises/solutions"];
    let folders = ["book"].into_iter().chain(quoted);
    let mut waiting: Vec<PathBuf> =
        folders.map(|folder| checkout.root.join(folder)).collect();
    let mut files = BTreeMap::new();
    while let Some(path) = waiting.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            waiting.extend(entries.flatten().map(|entry| entry.path()));
        } else {
            let time = fs::metadata(&path).and_then(|it| it.modified());
            files.insert(path, time.ok());
        }
    }
    files
}

/// Builds the book and returns mdBook's complaints, because mdBook itself
/// succeeds even if an include is missing.
pub fn build(
    checkout: &Checkout,
    mdbook: &Path,
    log: &Path,
) -> Result<Vec<String>, Stop> {
    let _alone = checkout.lock("book");
    let mut command = Child::new(mdbook);
    command.arg("build").arg(checkout.root.join("book"));
    command.arg("--dest-dir").arg(folder(checkout));
    command.env("MDBOOK_BOOK__TITLE", title(checkout));
    let limit = Duration::from_secs(120);
    let ending = process::run_with_status(
        "building the book",
        &mut command,
        log,
        limit,
    )?;
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if ending != Ending::Exited(0) {
        for line in text.lines() {
            say!("{line}");
        }
        let complaint = process::failure_message("mdbook build", &ending);
        return Err(Stop::Failed(complaint));
    }
    let is_complaint = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("WARN") || line.starts_with("ERROR")
    };
    Ok(text.lines().filter(is_complaint).map(str::to_string).collect())
}

/// Returns the title in the bar of every page, with the version and, in a git
/// checkout, the commit.
fn title(checkout: &Checkout) -> String {
    let root = checkout.root.to_string_lossy();
    let words = ["-C", &root, "rev-parse", "--short=8", "HEAD"];
    let commit = machine::command_output("git", &words);
    let commit = commit.map_or(String::new(), |it| format!(" ({it})"));
    format!("Rungrad {}{commit}", env!("CARGO_PKG_VERSION"))
}

fn folder(checkout: &Checkout) -> PathBuf {
    checkout.target.join("book")
}

/// Returns the pinned mdBook: our own, or else the same version on the search
/// path.
pub(crate) fn installed(checkout: &Checkout) -> Option<PathBuf> {
    let ours = checkout.target.join("tools/bin/mdbook");
    let candidates = [Some(ours), machine::find_program("mdbook")];
    candidates.into_iter().flatten().find(|path| {
        let said =
            machine::command_output(&path.to_string_lossy(), &["--version"]);
        said.is_some_and(|it| it == format!("mdbook v{VERSION}"))
    })
}

/// Returns the pinned mdBook, which is compiled first if it is missing.
pub fn mdbook(checkout: &Checkout) -> Result<PathBuf, Stop> {
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
    // We have our own server. Without mdBook's server, only half the code has
    // to be compiled.
    command.args(["--no-default-features", "--features", "search"]);
    command.arg("--target-dir").arg(&scratch);
    for (name, value) in QUICK_PROFILE {
        command.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
    }
    let what = format!("compiling mdBook {VERSION}");
    let built = process::run_or_fail(checkout, &what, &mut command, &log);
    if built.is_ok() {
        let _ = fs::remove_dir_all(&scratch);
    } else if network_trouble(&log).is_some() {
        let place = checkout.shown(&log);
        return Err(Stop::Failed(format!(
            "could not reach the package registry to get mdBook {VERSION}: \
             check the connection, then run this again (the log is {place})"
        )));
    }
    built.map(|()| tools.join("bin/mdbook"))
}

/// A book of this size builds in well under a second without optimization, so
/// mdBook itself is compiled without it.
const QUICK_PROFILE: &[(&str, &str)] = &[
    ("OPT_LEVEL", "0"),
    ("CODEGEN_UNITS", "16"),
    ("DEBUG", "0"),
    ("LTO", "off"),
];
