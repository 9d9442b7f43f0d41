//! A test binary, like every other program here, links no OpenCL: it starts
//! where there is none, and finds a driver that is installed later.
#![cfg(target_os = "linux")]

use std::process::Command;

/// Without this line the binary would not hold the crate at all.
use rungrad as _;

#[path = "common/child.rs"]
mod child;

/// `ldd` asks the dynamic linker; so do we, without the script.
#[test]
fn no_program_of_this_crate_needs_an_opencl_library() {
    let this = std::env::current_exe().expect("a path");
    let needed =
        child::succeed(Command::new(this).env("LD_TRACE_LOADED_OBJECTS", "1"));
    assert!(needed.contains("libc"), "the linker lists nothing: {needed}");
    assert!(!needed.contains("OpenCL"), "{needed}");
}
