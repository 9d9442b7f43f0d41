//! The raw programs as their reader meets them where there is no driver.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::child::{finish, succeed};

/// Builds the example beside this test, and says where it is.
fn built(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a path");
    let folder = test.ancestors().nth(2).expect("a profile");
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--example", name, "--profile", profile]);
    cargo.arg("--target-dir").arg(folder.parent().expect("a target folder"));
    succeed(cargo.current_dir(env!("CARGO_MANIFEST_DIR")));
    let path = folder.join("examples").join(name);
    path.with_extension(env::consts::EXE_EXTENSION)
}

/// The raw programs, by their number.
fn programs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder).expect("the examples");
    let mut names: Vec<String> = files
        .map(|file| file.expect("an example").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| {
            let rest = name.strip_prefix("part2_raw_");
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric()))
        })
        .collect();
    names.sort();
    names
}

/// `ocl` waits ten seconds for a driver, and then fails in ten lines.
#[cfg(not(any(windows, target_os = "macos")))]
#[test]
fn without_a_driver_a_raw_program_ends_with_one_sentence() {
    let names = programs();
    assert!(names[0].ends_with("1_mul"), "{names:?}");
    for name in names {
        let mut program = Command::new(built(&name));
        program.env("OCL_ICD_VENDORS", "/no/such/folder");
        let ended = finish(program.env("OCL_ICD_FILENAMES", ""));
        assert_eq!(ended.status.code(), Some(1), "{name}: {}", ended.text);
        let sentence = "error: there is no OpenCL device; `cargo learn setup` \
                        installs one\n";
        assert_eq!(ended.text, sentence, "{name}");
    }
}
