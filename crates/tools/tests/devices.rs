//! `devices --run`, which `cargo learn doctor` runs to test each device.

// This test program uses only part of the shared module.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(cache: &Path) -> String {
    let ended = Command::new(env!("CARGO_BIN_EXE_devices"))
        .arg("--run")
        .env("POCL_CACHE_DIR", cache)
        .output()
        .expect("the program starts");
    let text = [ended.stdout, ended.stderr].concat();
    String::from_utf8(text).unwrap()
}

#[test]
fn each_device_runs_a_kernel_and_a_damaged_cache_is_named() {
    let Some(gpu) = testkit::device::gpu_or_skip() else { return };
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("devices");
    // The first run has no folder to remove.
    let _ = fs::remove_dir_all(&cache);
    fs::create_dir_all(&cache).unwrap();
    let said = run(&cache);
    assert!(said.contains("gpu:0\tran\n"), "{said}");
    if !gpu.info().platform.contains("Portable Computing Language") {
        return testkit::device::skip(
            "no PoCL",
            "this test damages a cache of PoCL's",
        );
    }
    let line = format!("cache\t{}\n", cache.display());
    assert!(said.contains(&line), "{said}");
    fs::write(cache.join("program.bc"), "").unwrap();
    let said = run(&cache);
    let words = format!("Delete the folder {}", cache.display());
    assert!(said.contains(&words), "{said}");
}
