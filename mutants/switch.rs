//! Which mutant is on. `cargo mutants` puts this module into its copy of the
//! crate and asks it wherever it has planted one.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const REHEARSAL: u32 = u32::MAX - 1;
const UNREAD: u32 = u32::MAX;

static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);
static REACHED: [AtomicBool; 16384] =
    [const { AtomicBool::new(false) }; 16384];

/// Stands in inner loops, so it costs one comparison.
#[inline(always)]
pub(crate) fn on(number: u32) -> bool {
    let chosen = CHOSEN.load(Relaxed);
    chosen == number || (chosen >= REHEARSAL && ask(number))
}

#[cold]
#[inline(never)]
fn ask(number: u32) -> bool {
    let log = std::env::var_os("RUNGRAD_MUTANT_LOG");
    if CHOSEN.load(Relaxed) == UNREAD {
        let named = std::env::var("RUNGRAD_MUTANT").ok();
        let named = named.and_then(|text| text.parse().ok());
        let rehearsal = if log.is_some() { REHEARSAL } else { 0 };
        CHOSEN.store(named.unwrap_or(rehearsal), Relaxed);
    }
    if CHOSEN.load(Relaxed) != REHEARSAL {
        return CHOSEN.load(Relaxed) == number;
    }
    // A line for the first time only, and at once: a process may crash.
    if !REACHED[number as usize].swap(true, Relaxed) {
        let file = log.expect("a rehearsal has a log");
        let file = OpenOptions::new().create(true).append(true).open(file);
        let line = format!("{number}\n");
        let written = file.and_then(|mut it| it.write_all(line.as_bytes()));
        if let Err(error) = written {
            // A test may forbid its child to write.
            let forbidden = error.kind() == ErrorKind::FileTooLarge;
            assert!(forbidden, "the log of a rehearsal: {error}");
        }
    }
    false
}

/// The text of a kernel as the driver gets it. What is common to several files
/// may stand in front of it.
#[allow(dead_code)]
pub(crate) fn kernel(text: &str) -> String {
    let mut planted = text.to_owned();
    for (number, file, from, to, after) in KERNELS {
        // A file of this name may have another text: a learner's, a test's.
        let Some(start) = text.find(file) else { continue };
        if on(*number) {
            planted.replace_range(start + from..start + to, after);
        }
    }
    planted
}
