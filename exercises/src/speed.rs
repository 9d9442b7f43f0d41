//! Counts what a correct kernel would make a GPU do. Oclgrind runs the kernel
//! anyway and counts it if the plugin of `cargo learn profile` is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use profile::{Access, Kind, Launch, Plugin, SECTOR};

use crate::report;
use crate::verdict::{Outcome, Stop, wrong};

/// Work-items per warp.
const WARP: usize = 32;

/// Checks the last launch of the last step of a check.
pub type Judge = fn(&Launch) -> Outcome;

/// The kernel whose launches are checked, and the function that checks them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    pub(crate) kernel: &'static str,
    pub(crate) judge: Judge,
}

/// The result of the check.
pub(crate) enum Found {
    Fast,
    /// The kernel is too slow, and why.
    Slow(String),
    /// The counts are missing, and why.
    Unchecked(String),
}

/// The plugin, and the path of its output.
pub(crate) struct Counters {
    plugin: Plugin,
    log: PathBuf,
}

impl Counters {
    /// Returns the plugin, or why it is missing.
    pub(crate) fn find() -> Result<Counters, String> {
        let plugin = Plugin::find(&profile::tools())?;
        let name = format!("counters-{}.log", process::id());
        Ok(Counters { plugin, log: report::folder().join(name) })
    }

    pub(crate) fn attach(&self, oclgrind: &mut Command) {
        self.plugin.attach(oclgrind, WARP, &self.log);
    }

    /// Checks the plugin's output and deletes it.
    pub(crate) fn judge(self, speed: Speed) -> Found {
        judge_log(&self.log, speed)
    }
}

fn judge_log(log: &Path, speed: Speed) -> Found {
    let text = fs::read_to_string(log).unwrap_or_default();
    let _ = fs::remove_file(log);
    let launches = match profile::read(&text) {
        Ok(launches) => launches,
        Err(sentence) => return Found::Unchecked(sentence),
    };
    let mut launches = launches.iter().rev();
    let last = launches.find(|launch| launch.kernel == speed.kernel);
    let Some(launch) = last else {
        let words = format!("the plugin saw no launch of {}", speed.kernel);
        return Found::Unchecked(words);
    };
    match (speed.judge)(launch) {
        Ok(()) => Found::Fast,
        Err(Stop::Wrong { words, .. }) => Found::Slow(words),
        Err(_) => Found::Unchecked("the counts gave no verdict".into()),
    }
}

/// Rejects a kernel whose warps touch more than twice the necessary number of
/// sectors of global memory at one line. `why` explains the reason.
pub fn gathered(launch: &Launch, why: &str) -> Outcome {
    // `max_by_key` returns the last of equal lines; reversed, it is the first.
    let global = launch.accesses.iter().rev().filter(|it| !it.is_local);
    let cost = |access: &&Access| access.parts(SECTOR)[0];
    let is_scattered = |access: &&Access| {
        let [all, least] = access.parts(SECTOR);
        all > 2 * least
    };
    let Some(access) = global.filter(is_scattered).max_by_key(cost) else {
        return Ok(());
    };
    let moment = access.worst();
    let [all, least] = [
        moment.parts(access.bytes, SECTOR),
        moment.least(access.bytes, SECTOR),
    ];
    Err(slow(
        launch,
        access.line,
        &format!(
            "a warp touches {all} sectors of {} at once; {least} would be \
             enough",
            launch.array(access)
        ),
        why,
    ))
}

/// Rejects a kernel with bank conflicts: local memory serves its warps in more
/// than twice the necessary number of wavefronts. `why` explains the reason.
pub fn spread(launch: &Launch, why: &str) -> Outcome {
    let mut local = launch.accesses.iter().filter(|access| access.is_local);
    let conflicts = |access: &&Access| {
        let [wavefronts, least] = access.wavefronts();
        wavefronts > 2 * least
    };
    let Some(access) = local.find(conflicts) else { return Ok(()) };
    let [wavefronts, least] = access.worst().wavefronts(access.bytes);
    let array = launch.array(access);
    let what = format!(
        "local memory serves one access of a warp to {array} in {wavefronts} \
         wavefronts; {least} would be enough"
    );
    Err(slow(launch, access.line, &what, why))
}

/// Rejects a kernel in which less than half of a warp reads from global memory
/// in a step while the others are idle. `why` says why they should read.
pub fn together(launch: &Launch, why: &str) -> Outcome {
    let global = launch.accesses.iter().filter(|it| !it.is_local);
    let mut loads = global.filter(|it| it.kind == Kind::Load);
    let lanes = |access: &Access| access.total(|moment| moment.lanes());
    let few = |it: &&Access| 2 * lanes(it) < WARP as u64 * it.times();
    let Some(access) = loads.find(few) else { return Ok(()) };
    let each = lanes(access).div_ceil(access.times());
    let what = format!(
        "only {each} of 32 adjacent items read, and the others are idle"
    );
    Err(slow(launch, access.line, &what, why))
}

/// Rejects a kernel in which one warp of a group loads more than twice its
/// share from global memory while others are idle. `why` says why they should
/// load. A wait of a single warp is hidden by the work of another.
pub fn evenly(launch: &Launch, why: &str) -> Outcome {
    let global = launch.accesses.iter().filter(|it| !it.is_local);
    let loads = global.filter(|it| it.kind == Kind::Load);
    let all: u64 = loads.clone().map(Access::numbers).sum();
    let warps = launch.items().div_ceil(launch.warp as u64);
    let is_alone = launch.busiest * warps > 2 * all;
    let most = loads.max_by_key(|it| it.numbers()).filter(|_| is_alone);
    let Some(access) = most else { return Ok(()) };
    let what = format!(
        "one of the {warps} warps of a group loads {} % of the group's values",
        100 * launch.busiest / all
    );
    Err(slow(launch, access.line, &what, why))
}

/// Rejects a kernel whose items load more than `enough` elements from global
/// or local memory, and names the line with the most loads. `why` explains the
/// reason.
pub fn sparing(
    launch: &Launch,
    is_local: bool,
    enough: u64,
    why: &str,
) -> Outcome {
    let own = launch.accesses.iter().filter(|it| it.is_local == is_local);
    let loads = own.filter(|it| it.kind == Kind::Load);
    let all: u64 = loads.clone().map(Access::numbers).sum();
    let most = loads.max_by_key(|it| it.numbers()).filter(|_| all > enough);
    let Some(access) = most else { return Ok(()) };
    let numbers = access.numbers();
    let memory = if is_local { "local" } else { "global" };
    let others = match all - numbers {
        0 => String::new(),
        _ => format!(" ({all} with the other lines)"),
    };
    let what = format!(
        "the items load {numbers} values from {memory} memory{others}; \
         {enough} would be enough"
    );
    Err(slow(launch, access.line, &what, why))
}

/// Rejects a correct but slow answer and names the line.
pub fn slow(launch: &Launch, line: usize, what: &str, why: &str) -> Stop {
    wrong(format!(
        "The results are right, but a GPU would take longer than necessary: at \
         line {line}, {what}.\n\n  {}\n\n{why}",
        launch.text(line).trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a log of a launch of `k` whose warp loads 32 elements, `stride`
    /// bytes apart.
    fn log(stride: u64) -> String {
        let offsets: Vec<String> =
            (0..32).map(|i| (i * stride).to_string()).collect();
        let offsets = offsets.join(" ");
        format!(
            "launch k 32 32 32 1 1 1 1\nline 7 9 288 \x20 sum += a[i];\n\
             access 7 10 l 4 3 {offsets}\nend\n"
        )
    }

    fn judged(stride: u64, kernel: &'static str) -> Found {
        let folder = std::env::temp_dir();
        let name = format!("rungrad-speed-{}-{stride}-{kernel}", process::id());
        let log_file = folder.join(name);
        fs::write(&log_file, log(stride)).unwrap();
        let judge: Judge = |launch| gathered(launch, "Read side by side.");
        judge_log(&log_file, Speed { kernel, judge })
    }

    /// Promise: An exercise rejects an uncoalesced access and names its line.
    #[test]
    fn a_scattered_access_is_refused_with_its_line() {
        let Found::Slow(words) = judged(128, "k") else { panic!("not slow") };
        let part = "at line 7, a warp touches 32 sectors of a at once; 4";
        assert!(words.contains(part) && words.contains("  sum += a[i];"));
        assert!(words.ends_with("Read side by side."), "{words}");
        // Rows of a tile that is half as wide as a warp may begin at any
        // address.
        assert!(matches!(judged(4, "k"), Found::Fast));
        assert!(matches!(judged(8, "k"), Found::Fast));
        assert!(matches!(judged(12, "k"), Found::Slow(_)));
    }

    #[test]
    fn banks_that_clash_are_refused_with_their_line() {
        let judged = |stride| {
            let log = log(stride).replace(" l 4 ", " L 4 ");
            spread(&profile::read(&log).unwrap()[0], "Leave a cell free.")
        };
        let Err(Stop::Wrong { words, .. }) = judged(64) else {
            panic!("16 cells in each of two banks")
        };
        let part = "at line 7, local memory serves one access of a warp to a \
                    in 16 wavefronts;";
        assert!(words.contains(part), "{words}");
        assert!(judged(68).is_ok() && judged(8).is_ok());
    }

    /// Promise: An exercise rejects needless loads and names the line with the
    /// most.
    #[test]
    fn loads_beyond_what_is_enough_are_refused_with_the_line_of_most() {
        let again = "access 9 3 l 4 1 0 4 8 12\nend";
        let log = log(4).replace("end", again);
        let launches = profile::read(&log).unwrap();
        let judged = |enough| sparing(&launches[0], false, enough, "Keep it.");
        let Err(Stop::Wrong { words, .. }) = judged(99) else {
            panic!("96 numbers and 4 more")
        };
        let part = "at line 7, the items load 96 values from global memory \
                    (100 with the other lines); 99 would be enough";
        assert!(words.contains(part), "{words}");
        assert!(judged(100).is_ok());
        assert!(sparing(&launches[0], true, 0, "None is local.").is_ok());
    }

    #[test]
    fn items_that_look_on_are_refused_with_their_line() {
        let lonely = "access 9 3 l 4 2 0\nend";
        let log = log(4).replace("end", lonely);
        let launches = profile::read(&log).unwrap();
        let Err(Stop::Wrong { words, .. }) = together(&launches[0], "Share.")
        else {
            panic!("one of 32 reads")
        };
        assert!(words.contains("at line 9, only 1 of 32 adjacent"), "{words}");
    }

    #[test]
    fn warps_that_look_on_are_refused_with_the_line_of_most() {
        let judged = |busiest: u64| {
            let log = log(4).replace("32 32 32 1", "32 256 256 1");
            let log = log.replace("end", &format!("busiest {busiest}\nend"));
            evenly(&profile::read(&log).unwrap()[0], "Share.")
        };
        // Each of the eight items of a warp loads 12 of 96 elements.
        let Err(Stop::Wrong { words, .. }) = judged(96) else {
            panic!("one warp of eight loads all")
        };
        let part =
            "at line 7, one of the 8 warps of a group loads 100 % of the";
        assert!(words.contains(part), "{words}");
        assert!(judged(25).is_err() && judged(24).is_ok());
    }

    /// Promise: An exercise does not judge the speed of a kernel that could not
    /// be profiled.
    #[test]
    fn what_nobody_counted_is_not_judged() {
        let Found::Unchecked(why) = judged(4, "other") else {
            panic!("a launch of another kernel was judged")
        };
        assert!(why.contains("no launch of other"), "{why}");
    }
}
