//! `cargo learn check --report json`: the state of all exercises for other
//! programs.

use jzon::object;

use crate::checkout::{Checkout, replace};
use crate::command::Stop;
use crate::course::Exercise;
use crate::exercises::status::{self, Status};
use crate::exercises::{hint, levels};
use crate::progress::Progress;
use crate::terminal::say;

/// The report's name, also in a submission.
pub(crate) const FILE: &str = "report.json";

/// Writes the report. `checked` is the exercise that was just checked.
pub(super) fn write(
    checkout: &Checkout,
    exercises: &[Exercise],
    checked: &str,
) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    let rows = exercises.iter().map(|exercise| {
        let mut row = object! {
            id: &*exercise.id,
            status: Status::saved(exercise, &progress, checkout).shown(),
            hints: hint::shown_count(exercise, &progress),
            file: status::fingerprint(exercise, checkout),
        };
        if exercise.has_levels() {
            row["levels_passed"] = levels::passed(exercise, &progress).into();
        }
        row
    });
    let report = object! {
        rungrad: env!("CARGO_PKG_VERSION"),
        checked: checked,
        exercises: rows.collect::<Vec<_>>(),
    };
    let file = checkout.state_folder().join(FILE);
    replace(&file, report.pretty(2).as_bytes())?;
    say!("Report: {}", checkout.shown(&file));
    Ok(())
}
