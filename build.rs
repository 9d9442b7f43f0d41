//! Lets programs link where there is no OpenCL.
//!
//! `cl-sys`, beneath `ocl`, asks the linker for a library named `OpenCL`. On
//! Linux and its relatives we hand it an archive that is empty; the functions
//! themselves stand in `src/opencl/link.rs` and open the true library when
//! the first one is called. macOS has its framework, and Windows links
//! `OpenCL.lib`.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of_target = |key| env::var(key).unwrap_or_default();
    let unix = of_target("CARGO_CFG_TARGET_FAMILY").contains("unix");
    if !unix || of_target("CARGO_CFG_TARGET_OS") == "macos" {
        return;
    }
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    // Eight bytes, the signature of an archive, are an archive of no members.
    let archive = Path::new(&folder).join("libOpenCL.a");
    fs::write(&archive, "!<arch>\n")
        .unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    println!("cargo::rustc-link-search=native={folder}");
}
