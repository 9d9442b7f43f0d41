//! Finds the repository and its programs: where they were built, or in the
//! current folder if the tests were copied to a machine without cargo.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Returns the root of the repository in which this package was built. Its
/// programs contain paths below it.
pub fn built() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("the root")
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    if built().is_dir() { built() } else { Path::new(".") }
}

/// Returns a folder for temporary files: `tmp` in the target folder of this
/// program.
pub fn scratch() -> PathBuf {
    let program = env::current_exe().expect("the path of this program");
    let is_profile = |it: &&Path| it.join("deps").is_dir();
    let profile = program.ancestors().find(is_profile);
    let target = profile.and_then(Path::parent).map(Path::to_path_buf);
    let folder = target.unwrap_or_else(|| root().join("target")).join("tmp");
    fs::create_dir_all(&folder).expect("the folder can be written");
    folder
}

/// Builds programs with these arguments of `cargo build` in the profile of
/// this test, and returns their folder. Without cargo, it returns the folder
/// that was copied with the test.
pub fn programs(words: &[&str]) -> Result<PathBuf, String> {
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
