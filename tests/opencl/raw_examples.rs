//! The raw examples on a machine without a driver.

use std::fs;
use std::process::Command;

use rungrad::opencl::devices;

use testkit::child::finish;
use testkit::device::{gpu_or_skip, skip_by_name, two_pocl_devices};
use testkit::place::{programs, root};

/// The names of the raw examples, ordered by their number.
fn names() -> Vec<String> {
    let files = fs::read_dir(root().join("examples")).expect("the examples");
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

/// `ocl` would wait ten seconds for a driver and then print ten lines.
///
/// Promise: Without an OpenCL driver, a raw example ends with one sentence.
#[cfg(not(any(windows, target_os = "macos")))]
#[test]
fn raw_examples_without_a_driver_end_with_one_sentence() {
    let names = names();
    assert!(names[0].ends_with("1_mul"), "{names:?}");
    let words = names.iter().flat_map(|name| ["--example", name]);
    let built = programs(&words.collect::<Vec<_>>());
    let folder = built.expect("the examples build").join("examples");
    for name in names {
        let mut program = Command::new(folder.join(&name));
        program.env("OCL_ICD_VENDORS", "/no/such/folder");
        let ended = finish(program.env("OCL_ICD_FILENAMES", ""));
        assert_eq!(ended.status.code(), Some(1), "{name}: {}", ended.text);
        let sentence = "error: there is no OpenCL device; `cargo learn setup` \
                        installs one\n";
        assert_eq!(ended.text, sentence, "{name}");
    }
}

/// Promise: A raw example ends with one sentence if its driver would wait for
/// itself at a user event.
#[test]
fn raw_examples_detect_a_driver_that_blocks_at_user_events() {
    if gpu_or_skip().is_none() {
        return;
    }
    let is_pocl = |it: &str| it.contains("Portable Computing");
    let alone = devices().unwrap().iter().all(|it| is_pocl(&it.platform));
    if !alone || two_pocl_devices() != Some("pthread basic") {
        return skip_by_name("PoCL alone, with a device that is called basic");
    }
    let name = "part2_raw_2_queue";
    let folder = programs(&["--example", name]).expect("the example builds");
    let mut program = Command::new(folder.join("examples").join(name));
    let ended = finish(program.env("POCL_DEVICES", "basic"));
    assert_eq!(ended.status.code(), Some(1), "{}", ended.text);
    let sentence = "error: PoCL's device `basic` waits for itself at a gate; \
                    unset POCL_DEVICES, or let it name `pthread`\n";
    assert_eq!(ended.text, sentence);
}
