//! PoCL's cache of compiled kernels with damaged files.

use std::path::Path;
use std::{env, fs};

use rungrad::opencl::{Gpu, cache_damage, cache_failure};

use super::processes::{filled, folder};
use testkit::child::{child, is_child, succeed};
use testkit::device::{gpu_or_skip, skip};

/// PoCL aborts a process that loads a damaged file from its cache. The parent
/// process finds the cause in the lines that PoCL printed.
///
/// Promise: A damaged PoCL cache is reported in a sentence.
#[test]
fn a_damaged_pocl_cache_is_recognized_by_its_output() {
    const NAME: &str =
        "pocl_cache::a_damaged_pocl_cache_is_recognized_by_its_output";
    if is_child() {
        // Runs with the child's POCL_CACHE_DIR.
        match env::var_os("LOOK") {
            None => drop(filled(&Gpu::first().unwrap(), 1.0, 2).unwrap()),
            Some(said) => {
                println!("{:?}", cache_damage());
                let said = fs::read_to_string(said).unwrap();
                println!("{:?}", cache_failure(&said));
            }
        }
        return;
    }
    let Some(gpu) = gpu_or_skip() else { return };
    if !gpu.info().platform.contains("Portable Computing") {
        return skip("no PoCL", "this test damages a cache of PoCL's");
    }
    let cache = folder("damaged-cache");
    let child = |name: &str, value: &Path| {
        let mut child = child(NAME);
        child.env("POCL_CACHE_DIR", &cache).env(name, value);
        child
    };
    succeed(&mut child("FIRST", &cache));
    let said = cache.join("said");
    fs::write(&said, "").unwrap();
    let whole = succeed(&mut child("LOOK", &said));
    assert!(whole.contains("None\nNone"), "{whole}");

    // A full disk or a power failure leaves truncated or empty files. PoCL
    // prints a line only for an empty one.
    for (share, sentences) in [(2, 1), (usize::MAX, 2)] {
        let mut folders = vec![cache.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|it| it == "so") {
                    let bytes = fs::read(&path).unwrap();
                    fs::write(&path, &bytes[..bytes.len() / share]).unwrap();
                } else if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        let crash = child("AGAIN", &cache).output().unwrap();
        assert!(!crash.status.success(), "PoCL has used such a library");
        fs::write(&said, crash.stderr).unwrap();
        let told = succeed(&mut child("LOOK", &said));
        let words = format!("Delete the folder {}", cache.display());
        assert!(told.matches(&words).count() >= sentences, "{told}");
    }
}
