//! What the commands of the book print, run on every core.

use std::process::Command;
use std::{env, fs};

use rayon::iter::{ParallelBridge, ParallelIterator};
use rungrad::opencl::{DeviceInfo, devices};

use crate::generated::tier::Tier;
use crate::generated::{Wanted, program};
use crate::manifest::Needs::{
    self, Counters, Device, Gates, Nothing, Oclgrind, Pocl,
};
use crate::manifest::{MANIFEST, Output, Picture};
use crate::tree::Tree;

/// Whether this output is to be printed: an author who writes a page asks for
/// its own outputs only.
fn asked_for(out: &str) -> bool {
    let only = env::var("ONLY").ok().filter(|_| crate::updates());
    only.is_none_or(|word| out.contains(&word))
}

/// What this machine lacks to print as the book does.
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
                Some("no driver but PoCL's basic, which opens no gate")
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

/// Whether the command that draws a picture is run: its listing says where it
/// has drawn.
fn is_drawn(
    tree: &Tree,
    picture: &Picture,
    is_run: impl Fn(&Output) -> bool,
) -> bool {
    let says =
        |out| tree.get(out).is_some_and(|it| it.contains(picture.written));
    let mut outputs = MANIFEST.outputs().filter(|it| says(it.out)).peekable();
    outputs.peek().is_none() || outputs.any(is_run)
}

/// What the commands print that have these needs, and, without any, what they
/// have drawn. The tests share the threads, one for each core, so that no
/// program waits for a core; no two draw the same picture of the book.
pub(crate) fn printed(needs: Needs, tier: Tier) -> Vec<Wanted> {
    let devices = devices().unwrap_or_default();
    let names: Vec<&str> = devices.iter().map(|d| d.name.as_str()).collect();
    let outputs = MANIFEST.outputs().filter(|o| o.needs == needs);
    let outputs = outputs.filter(|output| asked_for(output.out));
    let outputs = outputs.filter(|it| tier.has(it.command));
    let mut outputs: Vec<&Output> = outputs.collect();
    let examples = program::built(outputs.iter().map(|it| it.command));
    let examples = examples.expect("the examples build");
    // Training takes longest, and what begins last should end soon.
    outputs.sort_by_key(|output| !MANIFEST.trained.contains(&output.out));
    let outputs = outputs.into_iter().par_bridge();
    let mut printed: Vec<Wanted> = outputs
        .map(|output| {
            let text = program::listing(&examples, output, &names);
            (output.out.to_string(), text)
        })
        .collect();
    let pictures = MANIFEST.pictures.iter().filter(|it| it.needs == needs);
    let pictures = pictures.filter(|picture| asked_for(picture.out));
    let tree = Tree::of_this_repository();
    let is_run = |output: &Output| tier.has(output.command);
    let pictures = pictures.filter(|it| is_drawn(&tree, it, is_run));
    printed.extend(pictures.map(|picture| {
        let text = fs::read_to_string(Tree::root().join(picture.written))
            .map_err(|_| format!("no example writes {}.", picture.written));
        (picture.out.to_string(), text)
    }));
    printed.sort();
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `part3_strides` draws where it is told, and one listing tells it.
    #[test]
    fn a_picture_is_looked_for_where_its_own_listing_is_printed() {
        let tree = Tree::of_this_repository();
        for picture in MANIFEST.pictures {
            let drawn_by = |output: &Output| {
                let out = output.out;
                is_drawn(&tree, picture, |it| it.out == out)
            };
            let count = MANIFEST.outputs().filter(|it| drawn_by(it)).count();
            assert_eq!(count, 1, "{}", picture.out);
        }
    }
}
