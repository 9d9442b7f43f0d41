//! Runs the commands of the book.

use std::process::Command;
use std::{env, fs};

use rayon::iter::{ParallelBridge, ParallelIterator};
use rungrad::opencl::{DeviceInfo, devices};

use crate::generated::tier::Tier;
use crate::generated::{Wanted, program};
use crate::manifest::Needs::{
    self, Counters, Device, Gates, Nothing, Oclgrind, Pocl,
};
use crate::manifest::{MANIFEST, Output};
use crate::tree::Tree;

/// Returns whether to print this output. `ONLY` restricts an update to outputs
/// whose names contain its value.
fn asked_for(out: &str) -> bool {
    let only = env::var("ONLY").ok().filter(|_| crate::updates());
    only.is_none_or(|word| out.contains(&word))
}

/// Returns what this machine lacks for the outputs with these needs.
pub(crate) fn missing(needs: Needs) -> Option<&'static str> {
    let first = || devices().ok()?.first();
    let version = || {
        let asked = Command::new("oclgrind").arg("--version").output().ok()?;
        Some(String::from_utf8_lossy(&asked.stdout).contains("21.10"))
    };
    match needs {
        Nothing => None,
        Device => first().is_none().then_some("no OpenCL device"),
        Gates => match first() {
            None => Some("no OpenCL device"),
            Some(it) if is_pocl(it) && it.name.starts_with("basic") => {
                Some("no driver but PoCL's basic, which deadlocks at a gate")
            }
            Some(_) => None,
        },
        Pocl => (!first().is_some_and(is_pocl)).then_some("no PoCL"),
        Oclgrind => (version() != Some(true)).then_some("no Oclgrind 21.10"),
        Counters if !profile::can_build() => Some("no plugin of Oclgrind"),
        Counters => missing(Oclgrind),
    }
}

fn is_pocl(device: &DeviceInfo) -> bool {
    device.platform.contains("Portable Computing")
}

/// Runs the commands of the outputs with these needs, and reads the pictures
/// that they have drawn. All tests share one thread for each core, so that no
/// program waits for a core.
pub(crate) fn printed(needs: Needs, tier: Tier) -> Vec<Wanted> {
    let devices = devices().unwrap_or_default();
    let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
    let is_run = |it: &&Output| it.needs == needs && tier.has(&it.command);
    let outputs = MANIFEST.outputs.iter().filter(is_run);
    let mut outputs: Vec<&Output> =
        outputs.filter(|it| asked_for(&it.out)).collect();
    let examples = program::built(outputs.iter().map(|it| &*it.command));
    let examples = examples.expect("the examples build");
    // Training takes longest, so it starts first.
    let is_trained = |it: &&Output| {
        MANIFEST.trained.iter().any(|name| it.out.ends_with(name))
    };
    outputs.sort_by_key(|output| !is_trained(output));
    let outputs = outputs.into_iter().par_bridge();
    let mut printed: Vec<Wanted> = outputs
        .map(|Output { out, command, .. }| {
            (out.clone(), program::listing(&examples, command, &names))
        })
        .collect();
    for name in &MANIFEST.pictures {
        let written = format!("target/{name}.svg");
        let is_written = |it: &Wanted| {
            it.1.as_ref().is_ok_and(|text| text.contains(&written))
        };
        if printed.iter().any(is_written) {
            let text = fs::read_to_string(Tree::root().join(&written));
            let text =
                text.map_err(|_| format!("no example writes {written}."));
            printed.push((format!("book/figures/{name}.svg"), text));
        }
    }
    printed.sort();
    printed
}

/// The listing must name the file of its picture, or the picture would never
/// be compared.
#[test]
fn each_picture_is_named_in_its_listing() {
    let tree = Tree::of_this_repository();
    let texts: Vec<&str> =
        MANIFEST.outputs.iter().filter_map(|it| tree.get(&it.out)).collect();
    for name in &MANIFEST.pictures {
        let written = format!("target/{name}.svg");
        let says = texts.iter().filter(|text| text.contains(&written));
        assert_eq!(says.count(), 1, "{name}");
    }
}
