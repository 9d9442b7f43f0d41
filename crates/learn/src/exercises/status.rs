//! The status of an exercise in the saved progress.

use std::fs;
use std::path::PathBuf;

use crate::checkout::Checkout;
use crate::course::Exercise;
use crate::exercises::program::Tier;
use crate::progress::Progress;

/// The status of an exercise. A check ends with one of them, except stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    ToDo,
    Failing,
    Solved,
    /// Solved, but not checked for races and out-of-bounds reads.
    InPart,
    /// Solved before its file or its check was changed.
    Stale,
    /// It could not be checked on this machine.
    Skipped,
}

/// The words that a check and the progress file use, as in
/// `exercises/src/verdict.rs`.
const WORDS: [(Status, &str); 5] = [
    (Status::ToDo, "to_do"),
    (Status::Failing, "failing"),
    (Status::Solved, "solved"),
    (Status::InPart, "in_part"),
    (Status::Skipped, "skipped"),
];

impl Status {
    /// Parses a word of a check or of the progress file.
    pub(crate) fn read(word: &str) -> Option<Status> {
        let found = WORDS.iter().find(|(_, it)| *it == word);
        found.map(|(status, _)| *status)
    }

    /// Returns the word for the progress file.
    fn word(self) -> &'static str {
        let found = WORDS.iter().find(|(it, _)| *it == self);
        found.map_or("to_do", |(_, word)| word)
    }

    /// Returns the status in words for people.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Status::ToDo => "to do",
            Status::InPart => "in part",
            Status::Stale => "stale",
            other => other.word(),
        }
    }

    /// Returns the status as it begins a verdict.
    pub(crate) fn in_a_verdict(self) -> &'static str {
        match self {
            Status::InPart => "solved, in part",
            other => other.shown(),
        }
    }

    /// Returns the saved status of an exercise.
    pub(crate) fn saved(
        exercise: &Exercise,
        progress: &Progress,
        checkout: &Checkout,
    ) -> Status {
        let kept = progress.get(KIND, &exercise.id).and_then(Status::read);
        let status = kept.unwrap_or(Status::ToDo);
        match status.is_solved() && is_changed(exercise, progress, checkout) {
            true => Status::Stale,
            false => status,
        }
    }

    /// Returns whether nothing is left to do, at least on this machine.
    pub(crate) fn is_solved(self) -> bool {
        matches!(self, Status::Solved | Status::InPart)
    }

    /// Saves the status together with fingerprints of the file and its check.
    pub(crate) fn save(
        self,
        exercise: &Exercise,
        progress: &mut Progress,
        fingerprint: &str,
    ) {
        progress.set(KIND, &exercise.id, self.word());
        progress.set(FILE, &exercise.id, fingerprint);
        let check = check_fingerprint(exercise, progress.checkout);
        progress.set(CHECK, &exercise.id, &check);
    }
}

/// Returns whether the file, or its check, has changed since the last check.
pub(crate) fn is_changed(
    exercise: &Exercise,
    progress: &Progress,
    checkout: &Checkout,
) -> bool {
    let differs = |kind, now: String| {
        progress.get(kind, &exercise.id).is_some_and(|it| it != now)
    };
    differs(FILE, fingerprint(exercise, checkout))
        || differs(CHECK, check_fingerprint(exercise, checkout))
}

const KIND: &str = "exercise";
const FILE: &str = "file";
const CHECK: &str = "check";
const TIER: &str = "tier";
const LAST: &str = "last";

/// Saves how much of a milestone the learner has written.
pub(crate) fn save_tier(
    exercise: &Exercise,
    progress: &mut Progress,
    tier: Tier,
) {
    progress.set(TIER, &exercise.id, &tier.word());
}

/// Returns how much of a milestone passed when it was last checked.
pub(crate) fn tier(exercise: &Exercise, progress: &Progress) -> Option<Tier> {
    progress.get(TIER, &exercise.id).and_then(Tier::read)
}

/// Returns whether no exercise has been checked yet, not counting the one that
/// is solved when it is handed out.
pub(crate) fn is_fresh(exercises: &[Exercise], progress: &Progress) -> bool {
    let is_new = |it: &Exercise| progress.get(KIND, &it.id).is_none();
    exercises.iter().all(|it| it.free || is_new(it))
}

/// Returns the number of solved exercises.
pub(crate) fn count_solved(
    exercises: &[Exercise],
    progress: &Progress,
    checkout: &Checkout,
) -> usize {
    let status = |it: &Exercise| Status::saved(it, progress, checkout);
    exercises.iter().filter(|it| status(it).is_solved()).count()
}

/// Remembers the exercise that was checked last. An exercise with levels does
/// not count, because learners return to it.
pub(crate) fn save_last(exercise: &Exercise, progress: &mut Progress) {
    if !exercise.has_levels() {
        progress.set(LAST, "exercise", &exercise.id);
    }
}

/// Returns the first unsolved exercise that is not in `done`, beginning with
/// the one that was checked last: a learner who has left out an exercise is
/// not sent back to it. A skipped exercise comes only after all others, so
/// that a machine without a device does not stop a learner.
pub(crate) fn next<'a>(
    exercises: &'a [Exercise],
    progress: &Progress,
    checkout: &Checkout,
    done: &[&str],
) -> Option<&'a Exercise> {
    let status = |it: &Exercise| Status::saved(it, progress, checkout);
    let is_open = |it: &&Exercise| !it.has_levels() && !done.contains(&&*it.id);
    let last = progress.get(LAST, "exercise");
    let last = exercises.iter().position(|it| Some(&*it.id) == last);
    let (before, from_last) = exercises.split_at(last.unwrap_or(0));
    let others = || from_last.iter().chain(before).filter(is_open);
    let can_be_solved = |it: &&Exercise| {
        !status(it).is_solved() && status(it) != Status::Skipped
    };
    let was_skipped = |it: &&Exercise| status(it) == Status::Skipped;
    others().find(can_be_solved).or_else(|| others().find(was_skipped))
}

/// Returns a sentence with the unsolved exercises before `next`, if there are
/// any.
pub(crate) fn left_open(
    exercises: &[Exercise],
    progress: &Progress,
    checkout: &Checkout,
    next: &Exercise,
) -> Option<String> {
    let status = |it: &Exercise| Status::saved(it, progress, checkout);
    let before = exercises.iter().take_while(|it| it.id != next.id);
    let is_open = |it: &&Exercise| {
        !it.has_levels()
            && !status(it).is_solved()
            && status(it) != Status::Skipped
    };
    let open: Vec<&str> = before.filter(is_open).map(|it| &*it.id).collect();
    let (named, rest) = open.split_at(open.len().min(MAX_NAMED));
    let names = named.join(", ");
    match (named.len(), rest.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("Left open: {names}")),
        (_, more) => Some(format!("Left open: {names} and {more} more")),
    }
}

/// The maximum number of exercises that are named as left open.
const MAX_NAMED: usize = 3;

/// Returns a fingerprint of the learner's file.
pub(crate) fn fingerprint(exercise: &Exercise, checkout: &Checkout) -> String {
    let file = checkout.exercises.join(&exercise.file);
    fingerprint_of(&fs::read(file).unwrap_or_default())
}

/// Returns the fingerprint of a file with these bytes.
pub(crate) fn fingerprint_of(bytes: &[u8]) -> String {
    format!("{:016x}", fnv1a(bytes))
}

/// Returns the files of a check: its program and, if a page of the book runs
/// the same steps, the file with these.
pub(crate) fn check_files(
    exercise: &Exercise,
    checkout: &Checkout,
) -> [PathBuf; 2] {
    let folder = checkout.root.join("exercises");
    ["checks", "src/steps"]
        .map(|it| folder.join(it).join(format!("{}.rs", exercise.id)))
}

/// Returns a fingerprint of the check's code. Comments, and how lines are
/// broken, do not count.
fn check_fingerprint(exercise: &Exercise, checkout: &Checkout) -> String {
    let files = check_files(exercise, checkout);
    let text = files.map(|it| fs::read_to_string(it).unwrap_or_default());
    let text = text.concat();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = text.lines().filter(is_code).flat_map(str::split_whitespace);
    let code: String = code.collect();
    fingerprint_of(code.as_bytes())
}

/// Returns the FNV-1a hash of the bytes. It distinguishes versions of a file
/// and is not cryptographic.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    };
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
