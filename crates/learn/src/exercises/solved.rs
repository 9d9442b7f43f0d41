//! `cargo learn check --solved`: checks all solved exercises again.

use crate::checkout::Checkout;
use crate::command::Stop;
use crate::course::Exercise;
use crate::exercises::check;
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::terminal::say;

/// Checks each exercise that is solved or stale, and saves and prints its
/// status in one line.
pub(crate) fn check_again(
    checkout: &Checkout,
    exercises: &[Exercise],
) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    let was_solved = |it: &&Exercise| {
        let status = Status::saved(it, &progress, checkout);
        status.is_solved() || status == Status::Stale
    };
    let solved: Vec<_> = exercises.iter().filter(was_solved).collect();
    if solved.is_empty() {
        say!("No exercise is solved yet. Start with: cargo learn check");
        return Ok(());
    }
    let mut failing = Vec::new();
    for exercise in &solved {
        let id = exercise.id.as_str();
        let place = checkout.shown(&checkout.exercises.join(&exercise.file));
        let alone = checkout.lock(&format!("check-{id}"));
        let fingerprint = status::fingerprint(exercise, checkout);
        let output = check::verdict(
            checkout,
            &checkout.exercises,
            exercise,
            &place,
            None,
        )?;
        drop(alone);
        let status = output.verdict;
        Progress::update_or_warn(checkout, |progress| {
            status.save(exercise, progress, &fingerprint);
            if let Some(tier) = output.tier {
                status::save_tier(exercise, progress, tier);
            }
        });
        say!("{:<8}  {id}", status.shown());
        if !status.is_solved() {
            failing.push(id);
        }
    }
    say!();
    let count = solved.len() - failing.len();
    say!("{count} of {} solved exercises still pass.", solved.len());
    for id in &failing {
        say!("See why: cargo learn check {id}");
    }
    match failing.is_empty() {
        true => Ok(()),
        false => Err(Stop::Said(1)),
    }
}
