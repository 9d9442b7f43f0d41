//! Where a test finds the repository and its programs: where it was built, or,
//! carried to a machine without cargo, in the folder in which it is started.

// Not every test binary needs every function.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The root of the repository in which this package was built; its programs
/// know themselves there. A member stands in a folder of it.
pub(crate) fn built() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    folders.find(|it| it.join("Cargo.lock").is_file()).unwrap_or(package)
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    if built().is_dir() { built() } else { Path::new(".") }
}

/// A folder for what a test writes: one that is named, where others run the
/// same test at the same time.
pub(crate) fn scratch() -> PathBuf {
    if let Some(named) = env::var_os("RUNGRAD_SCRATCH") {
        return named.into();
    }
    // Cargo names it for a test, not for a library.
    let built = option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from);
    if let Some(built) = built.filter(|built| built.is_dir()) {
        return built;
    }
    let folder = root().join("target/tmp");
    fs::create_dir_all(&folder).expect("the folder can be written");
    folder
}

/// Builds the programs that cargo is to build by these words, as it has built
/// this test, and says where they stand: beside it. Without a cargo, they are
/// those that were carried along.
pub(crate) fn programs(words: &[&str]) -> Result<PathBuf, String> {
    let test = env::current_exe().expect("the path of this test");
    let folder = test.ancestors().nth(2).expect("a profile");
    if !Path::new(env!("CARGO")).is_file() {
        return Ok(folder.to_path_buf());
    }
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", profile])
        .args(words)
        .arg("--target-dir")
        .arg(folder.parent().expect("a target folder"))
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !build.status.success() {
        let log = String::from_utf8_lossy(&build.stderr);
        return Err(format!("the programs do not build:\n{log}"));
    }
    Ok(folder.to_path_buf())
}
