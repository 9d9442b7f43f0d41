//! `cargo xtask page`: recompiles the engine in the pages of the book.

use std::path::{Path, PathBuf};
use std::process::Command as Child;
use std::{fs, io};

use learn::checkout::{Checkout, cannot_write};
use learn::command::{Args, Command, Stop};
use learn::machine;
use learn::process;
use learn::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "page",
    usage: "[--check | --audit]",
    summary: "compile the engine of the book's pages",
    page: "\
Compiles Part 1 to WebAssembly and writes it to book/src/live/engine.js, from
where the figures of the pages load it, and the weights of the network of \"Names\" to
book/src/live/weights.js. It takes the WebAssembly target of
rustup, or the packages of Debian that bring one.

--check writes it into the target folder instead, and asks it, in a browser,
what the tests ask the one of the repository.

--audit compiles nothing: it fetches an audit of accessibility from the npm
registry, the version and the hash that crates/page/audit names, into the target
folder, and lets it look at every page of the book. No page loads it.",
    run,
};

const TARGET: &str = "wasm32-unknown-unknown";
const SCRIPT: &str = "book/src/live/engine.js";
/// The trained weights of "Names", and the script that they are packed into.
const WEIGHTS: [&str; 2] =
    ["data/names.safetensors", "book/src/live/weights.js"];
/// The files that pin the versions and hashes of the audit.
const AUDIT: [&str; 2] = ["package.json", "package-lock.json"];

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let check = args.flag("--check");
    let audits = args.flag("--audit");
    args.rest(0)?;
    if audits {
        return audit(checkout);
    }
    let Some(toolchain) = Toolchain::find() else {
        return Err(Stop::Failed(format!(
            "no compiler for WebAssembly is here: run `rustup target add \
             {TARGET}`, or on Debian `cargo learn setup --pages`"
        )));
    };
    let wasm = compile(checkout, &toolchain)?;
    let script = match check {
        true => checkout.target.join("page/engine.js"),
        false => checkout.root.join(SCRIPT),
    };
    pack(checkout, &wasm, &script)?;
    if !check {
        let [from, to] = WEIGHTS.map(|file| checkout.root.join(file));
        return pack(checkout, &from, &to);
    }
    let mut test = checkout.cargo(&["test", "--package", "page"]);
    test.args(["--test", "pages", "engine_in_the_page"]);
    test.env("RUNGRAD_PAGE_ENGINE", &script);
    finish(checkout, "asking the engine", &mut test)
}

/// Downloads the pinned audit and lets the tests run it.
fn audit(checkout: &Checkout) -> Result<(), Stop> {
    if machine::find_program("npm").is_none() {
        return Err(Stop::Failed(
            "npm is not here, which fetches the audit: install the package \
             `npm` of your system, or Node.js from nodejs.org"
                .to_string(),
        ));
    }
    let folder = checkout.target.join("tools/audit");
    let cannot = |error: io::Error| cannot_write(&folder, &error);
    fs::create_dir_all(&folder).map_err(cannot)?;
    for file in AUDIT {
        let from = checkout.root.join("crates/page/audit").join(file);
        fs::copy(from, folder.join(file)).map_err(cannot)?;
    }
    let mut npm = Child::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.current_dir(&folder);
    finish(checkout, "fetching the audit", &mut npm)?;
    let mut test = checkout.cargo(&["test", "--package", "page"]);
    test.args(["--test", "pages", "audit", "--", "--nocapture"]);
    let script = folder.join("node_modules/axe-core/axe.min.js");
    test.env("RUNGRAD_PAGE_AUDIT", script);
    finish(checkout, "auditing the pages", &mut test)
}

/// A toolchain that compiles to WebAssembly.
enum Toolchain {
    /// The toolchain that compiles everything else.
    Rustup,
    /// A toolchain in this folder that also compiles the standard library.
    WithSource { folder: PathBuf, linker: PathBuf },
}

impl Toolchain {
    fn find() -> Option<Toolchain> {
        if machine::has_wasm_target() {
            return Some(Toolchain::Rustup);
        }
        let folder = machine::compiler_with_source()?;
        let linker = linkers().into_iter().find(|it| it.is_file())?;
        Some(Toolchain::WithSource { folder, linker })
    }

    fn cargo(&self, checkout: &Checkout, args: &[&str]) -> Child {
        let Toolchain::WithSource { folder, linker } = self else {
            return checkout.cargo(args);
        };
        let mut cargo = Child::new(folder.join("cargo"));
        cargo.args(args).current_dir(&checkout.root);
        cargo.args(["-Z", "build-std=std,panic_abort"]);
        // Only for this build, which compiles the standard library.
        cargo.env("RUSTC", folder.join("rustc")).env("RUSTC_BOOTSTRAP", "1");
        let variable = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER";
        cargo.env(variable, linker);
        cargo
    }
}

/// Lists possible paths of a linker for WebAssembly: the toolchain's own and
/// the system's.
fn linkers() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let sysroot = machine::command_output("rustc", &["--print", "sysroot"]);
    let host = machine::command_output("rustc", &["--print", "host-tuple"]);
    if let (Some(sysroot), Some(host)) = (sysroot, host) {
        let folder = Path::new(&sysroot).join("lib/rustlib").join(host);
        found.push(folder.join("bin/rust-lld"));
    }
    found.extend(machine::find_program("wasm-ld"));
    found
}

fn compile(
    checkout: &Checkout,
    toolchain: &Toolchain,
) -> Result<PathBuf, Stop> {
    let folder = checkout.target.join("page");
    let args = ["rustc", "--package", "page", "--lib", "--profile", "page"];
    let mut cargo = toolchain.cargo(checkout, &args);
    // Without the Rust library output, link-time optimization covers
    // everything.
    cargo.args(["--crate-type", "cdylib"]);
    cargo.args(["--target", TARGET]).arg("--target-dir").arg(&folder);
    // Declaring SIMD here avoids a second matmul loop for browsers without it.
    let variable = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
    cargo.env(variable, "-C target-feature=+simd128");
    finish(checkout, "compiling to WebAssembly", &mut cargo)?;
    Ok(folder.join(TARGET).join("page/page.wasm"))
}

fn pack(checkout: &Checkout, from: &Path, script: &Path) -> Result<(), Stop> {
    let args = ["run", "--quiet", "--package", "page", "--bin", "pack", "--"];
    let mut cargo = checkout.cargo(&args);
    let output = cargo.arg(from).arg(script).output();
    let output = output.map_err(|error| Stop::Failed(error.to_string()))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    if !output.status.success() {
        return Err(Stop::Failed(said(&output.stderr)));
    }
    say!("{}", said(&output.stdout));
    Ok(())
}

fn finish(
    checkout: &Checkout,
    what: &str,
    command: &mut Child,
) -> Result<(), Stop> {
    // A check and an audit may run at the same time.
    let log = checkout.log(&what.replace(' ', "-"))?;
    process::run_or_fail(checkout, what, command, &log)
}
