//! The OpenCL fence: what goes in comes out, what does not fit is refused
//! with one sentence before the device sees it, and how a process begins
//! changes neither.

// The fence's own tests launch kernels of their own.
#![allow(unsafe_code)]

use rungrad::opencl::{Kernel, Source};
use rungrad::{engine, part2_gpu};

mod borders;
mod cache;
mod counters;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod failing_calls;
mod families;
mod launches;
mod loads;
mod mirror;
mod oclgrind;
mod processes;
mod raw;
mod reach;
mod refusals;
mod submission;
mod timeline;
mod types;
mod written;

/// Every kernel of the crate.
fn every_kernel() -> impl Iterator<Item = &'static Kernel> {
    let part2 = part2_gpu::kernels::ALL.into_iter();
    part2.flatten().chain(engine::kernels::all())
}

/// The names of the kernels that a file writes, those of its macros too.
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

/// A list that forgets a kernel would let it go untested.
///
/// Promise: Every kernel source is in a list, and therefore in the reach tests.
#[test]
fn every_kernel_that_is_written_is_in_a_list() {
    let mut texts = std::collections::BTreeMap::new();
    for kernel in every_kernel() {
        texts.insert(kernel.file(), kernel.text());
    }
    let files = ["part2", "engine"].map(|part| {
        let folder = testkit::place::root().join("kernels").join(part);
        std::fs::read_dir(folder).unwrap().count()
    });
    assert_eq!(texts.len(), files[0] + files[1], "a file without a kernel");
    let mut names: Vec<String> =
        texts.values().flat_map(|text| written(text)).collect();
    let mut listed: Vec<&str> = every_kernel().map(Kernel::name).collect();
    names.sort();
    listed.sort();
    // A text that is compiled in several ways is still written once.
    listed.dedup();
    assert_eq!(listed, names);
}

/// The kernel `k` of a text.
fn source(text: &str) -> Source {
    Source::new("my.cl", text, "k")
}
