//! `cargo learn check --report json`: the state of all exercises for other
//! programs.

use crate::checkout::{Checkout, replace};
use crate::command::Stop;
use crate::course::Exercise;
use crate::exercises::status::{self, Status};
use crate::exercises::{hint, levels};
use crate::json::Json;
use crate::progress::Progress;
use crate::terminal::say;

/// Writes the report. `checked` is the exercise that was just checked.
pub(super) fn write(
    checkout: &Checkout,
    exercises: &[Exercise],
    checked: &str,
) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    let count = |count: usize| Json::Number(count as f64);
    let rows = exercises.iter().map(|exercise| {
        let status = Status::saved(exercise, &progress, checkout);
        let mut row = vec![
            ("id", Json::text(&exercise.id)),
            ("status", Json::text(status.shown())),
            ("hints", count(hint::shown_count(exercise, &progress))),
            ("file", Json::text(status::fingerprint(exercise, checkout))),
        ];
        if exercise.has_levels() {
            let passed = levels::passed(exercise, &progress);
            row.push(("levels_passed", count(passed)));
        }
        Json::Object(row)
    });
    let report = Json::Object(vec![
        ("rungrad", Json::text(env!("CARGO_PKG_VERSION"))),
        ("checked", Json::text(checked)),
        ("exercises", Json::List(rows.collect())),
    ]);
    let file = checkout.state_folder().join("report.json");
    replace(&file, report.to_string().as_bytes())?;
    say!("Report: {}", checkout.shown(&file));
    Ok(())
}
