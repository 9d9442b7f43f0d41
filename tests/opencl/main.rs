//! Tests of the OpenCL wrapper: data is transferred unchanged, invalid
//! launches are rejected with one sentence before they reach the device, and
//! the environment of a process changes neither.

// These tests launch kernels from source.
#![allow(unsafe_code)]

use rungrad::opencl::{Kernel, Source};
use rungrad::{engine, part2_gpu, part3_unified};

mod counters;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod failing_calls;
mod families;
mod generated_kernels;
mod launch_errors;
mod launches;
mod loads;
mod mirror;
mod oclgrind;
mod pocl_cache;
mod processes;
mod raw_examples;
mod reach;
mod size_limits;
mod submission;
mod timeline;
mod types;

/// Every kernel of the crate.
fn every_kernel() -> impl Iterator<Item = &'static Kernel> {
    let part2 = part2_gpu::kernels::ALL.iter();
    let plain = part3_unified::plain_opencl::kernels::all();
    part2.chain(plain).chain(engine::kernels::all())
}

/// Returns the names of the kernels that a file defines, including macros.
fn written(text: &str) -> Vec<String> {
    let first = |rest: &str| {
        let name = rest.split([',', '(']).next().unwrap_or_default();
        name.trim().to_string()
    };
    let written = text.split("kernel void ").skip(1).map(first);
    let macros = text.split("#define ").skip(1);
    let macros = macros.filter_map(|rest| rest.split_once("(NAME,"));
    let by_macro = macros.flat_map(|(name, _)| {
        let line = format!("\n{name}(");
        let names: Vec<_> = text.split(&line).skip(1).map(first).collect();
        names
    });
    written.filter(|name| name != "NAME").chain(by_macro).collect()
}

/// A kernel that is missing from the lists would be tested nowhere.
///
/// Promise: Every kernel source is in a list, and therefore in the reach
/// tests.
#[test]
fn every_kernel_source_is_in_a_list() {
    let mut texts = std::collections::BTreeMap::new();
    for kernel in every_kernel() {
        texts.insert(kernel.file(), kernel.text());
    }
    let files = ["part2", "part3", "engine"].map(|part| {
        let folder = testkit::place::root().join("kernels").join(part);
        let entries = std::fs::read_dir(folder).unwrap();
        entries.filter(|it| it.as_ref().unwrap().path().is_file()).count()
    });
    let count: usize = files.into_iter().sum();
    assert_eq!(texts.len(), count, "a file without a kernel");
    let mut names: Vec<String> =
        texts.values().flat_map(|text| written(text)).collect();
    let mut listed: Vec<&str> = every_kernel().map(Kernel::name).collect();
    names.sort();
    listed.sort();
    // A source that is compiled with several options still counts once.
    listed.dedup();
    assert_eq!(listed, names);
}

/// A source whose kernel is named `k`.
fn source(text: &str) -> Source {
    Source::new("my.cl", text, "k")
}
