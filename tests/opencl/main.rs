//! The OpenCL fence: what goes in comes out, what does not fit is refused
//! with one sentence before the device sees it, and how a process begins
//! changes neither.

// The fence's own tests launch kernels of their own.
#![allow(unsafe_code)]

use rungrad::opencl::Source;

#[path = "../common/child.rs"]
mod child;
#[path = "../common/device.rs"]
mod device;
mod draft;
mod launches;
mod loads;
mod oclgrind;
mod part2;
mod part3;
#[path = "../common/place.rs"]
mod place;
mod processes;
#[allow(dead_code, unreachable_pub)]
#[path = "../common/random.rs"]
mod random;
mod raw;
mod reach;
mod refusals;
mod timeline;

/// The kernel `k` of a text.
fn source(text: &str) -> Source {
    Source::new("my.cl", text, "k")
}
