//! `--tune`: the kernels among which Part 3 chooses by the shape of the work
//! are timed once on this device, and what was found is kept.
//!
//! The file has a line for each choice, its words between tabs: the device's
//! name, the driver's version, the shape, the kernel, its microseconds. Lines
//! of other devices and drivers stay; one that cannot be read is left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rungrad::Error;
use rungrad::draw::save;

use crate::machine::{Machine, root};

const HEADER: &str = "# What `cargo learn bench --tune` has found: device, \
                      driver, shape, kernel, microseconds.\n";

/// What is chosen for: a device, its driver, a shape of the work.
type Key = [String; 3];

/// A kernel that could do the work of a shape.
pub(crate) struct Candidate {
    pub(crate) shape: String,
    pub(crate) kernel: String,
    /// Its time, in seconds.
    pub(crate) time: Box<dyn FnMut() -> Result<f64, Error>>,
}

/// Where the choices are kept, with the progress of the course.
pub(crate) fn file() -> PathBuf {
    match env::var_os("RUNGRAD_TUNED") {
        Some(file) if !file.is_empty() => file.into(),
        _ => root().unwrap_or(Path::new(".")).join(".learn/tuned"),
    }
}

/// Times every candidate and keeps the fastest for each shape.
pub(crate) fn tune(
    machine: &Machine,
    candidates: Vec<Candidate>,
) -> Result<(), Error> {
    if candidates.is_empty() {
        println!(
            "\nPart 3 has one kernel for each operation on {}: there is \
             nothing to choose, and nothing was kept.",
            machine.device
        );
        return Ok(());
    }
    let file = file();
    let mut kept = read(&fs::read(&file).unwrap_or_default());
    let mut best: BTreeMap<String, (String, f64)> = BTreeMap::new();
    for Candidate { shape, kernel, mut time } in candidates {
        let seconds = time()?;
        println!("  {shape:<28} {kernel:<24} {:>10.2} µs", seconds * 1e6);
        let found = best.entry(shape).or_insert((kernel.clone(), seconds));
        if seconds < found.1 {
            *found = (kernel, seconds);
        }
    }
    for (shape, (kernel, seconds)) in best {
        let key = [machine.model.clone(), machine.driver.clone(), shape];
        kept.insert(key, format!("{kernel}\t{:.3}", seconds * 1e6));
    }
    keep(&file, &kept)?;
    println!("\nkept in {}", file.display());
    Ok(())
}

fn read(bytes: &[u8]) -> BTreeMap<Key, String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let choice = |line: &str| {
        let words: Vec<&str> = line.split('\t').collect();
        let [device, driver, shape, kernel, time] = words[..] else {
            return None;
        };
        time.parse::<f64>().ok()?;
        let key = [device, driver, shape].map(str::to_string);
        Some((key, format!("{kernel}\t{time}")))
    };
    lines.filter_map(choice).collect()
}

fn keep(file: &Path, kept: &BTreeMap<Key, String>) -> Result<(), Error> {
    let lines = kept.iter();
    let lines = lines.map(|(key, choice)| {
        let words = key.iter().map(|word| word.replace(['\t', '\n'], " "));
        format!("{}\t{choice}\n", words.collect::<Vec<_>>().join("\t"))
    });
    save(file, (HEADER.to_string() + &lines.collect::<String>()).as_bytes())
}

/// The kernels among which Part 3 chooses on this device.
pub(crate) fn candidates(_: &Machine) -> Result<Vec<Candidate>, Error> {
    Ok(vec![])
}
