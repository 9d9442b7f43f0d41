//! What the progress says of an exercise.

use std::fs;

use crate::checkout::Checkout;
use crate::course::Exercise;
use crate::exercises::program::Tier;
use crate::progress::Progress;

/// Where an exercise stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    ToDo,
    Failing,
    Solved,
    /// Solved, but nobody could look for races and stray reads.
    InPart,
    /// It was solved, and its file has changed since.
    Stale,
    /// It could not be checked on this machine.
    Skipped,
}

impl Status {
    /// Writes it as people read it.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Status::ToDo => "to do",
            Status::Failing => "failing",
            Status::Solved => "solved",
            Status::InPart => "in part",
            Status::Stale => "stale",
            Status::Skipped => "skipped",
        }
    }

    /// Writes it as the progress keeps it.
    fn kept(self) -> &'static str {
        match self {
            Status::ToDo => "todo",
            Status::InPart => "in_part",
            other => other.shown(),
        }
    }

    pub(crate) fn of(
        exercise: &Exercise,
        progress: &Progress,
        checkout: &Checkout,
    ) -> Status {
        let kept = progress.get(KIND, &exercise.id).unwrap_or("todo");
        let known =
            [Status::Failing, Status::Solved, Status::InPart, Status::Skipped];
        let status = known.into_iter().find(|status| status.kept() == kept);
        match status {
            Some(status) if status.is_solved() => {
                let now = fingerprint(exercise, checkout);
                match progress.get(FILE, &exercise.id) {
                    Some(then) if then != now => Status::Stale,
                    _ => status,
                }
            }
            Some(status) => status,
            None => Status::ToDo,
        }
    }

    /// Tells whether nothing is left to do, on this machine at least.
    pub(crate) fn is_solved(self) -> bool {
        matches!(self, Status::Solved | Status::InPart)
    }

    /// Notes the status, with the state of the file that it belongs to.
    pub(crate) fn keep(
        self,
        exercise: &Exercise,
        progress: &mut Progress,
        fingerprint: &str,
    ) {
        progress.set(KIND, &exercise.id, self.kept());
        progress.set(FILE, &exercise.id, fingerprint);
    }
}

const KIND: &str = "exercise";
const FILE: &str = "file";
const TIER: &str = "tier";

/// Notes how much of a milestone is the learner's.
pub(crate) fn keep_tier(
    exercise: &Exercise,
    progress: &mut Progress,
    tier: Tier,
) {
    progress.set(TIER, &exercise.id, &tier.kept());
}

/// Tells how much of a milestone was the learner's when it was last checked.
pub(crate) fn tier(exercise: &Exercise, progress: &Progress) -> Option<Tier> {
    progress.get(TIER, &exercise.id).and_then(Tier::read)
}

/// Tells whether no exercise has been checked so far: the free pass does not
/// count.
pub(crate) fn is_fresh(exercises: &[Exercise], progress: &Progress) -> bool {
    let is_new = |it: &Exercise| progress.get(KIND, &it.id).is_none();
    exercises.iter().all(|it| it.free || is_new(it))
}

/// Finds the first exercise that is not solved as it stands, and is none of
/// `done`. One that was skipped is for when nothing else is left: a machine
/// without a device must not stop anybody.
pub(crate) fn next<'a>(
    exercises: &'a [Exercise],
    progress: &Progress,
    checkout: &Checkout,
    done: &[&str],
) -> Option<&'a Exercise> {
    let status = |it: &Exercise| Status::of(it, progress, checkout);
    let is_open = |it: &&Exercise| !it.grows() && !done.contains(&&*it.id);
    let others = || exercises.iter().filter(is_open);
    let can_be_solved = |it: &&Exercise| {
        !status(it).is_solved() && status(it) != Status::Skipped
    };
    let was_skipped = |it: &&Exercise| status(it) == Status::Skipped;
    others().find(can_be_solved).or_else(|| others().find(was_skipped))
}

/// Makes a word of the learner's file.
pub(crate) fn fingerprint(exercise: &Exercise, checkout: &Checkout) -> String {
    let file = checkout.exercises.join(&exercise.file);
    format!("{:016x}", mixed(&fs::read(file).unwrap_or_default()))
}

/// Makes a number of these bytes: FNV-1a, which tells versions of a file apart
/// and is no protection against anything.
pub(crate) fn mixed(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    };
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}
