//! `cargo learn list`: all exercises, and where each stands.

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course::{self, Contents};
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "list",
    usage: "",
    summary: "all exercises, and where each stands",
    page: "\
Lists the exercises in the order of the course, which is advice: any one can be
checked at any time. An exercise is solved, failing, to do, skipped (this machine
lacks what it needs), stale (it was solved, and its file has changed since), or
solved in part: nobody could look for races and stray reads.",
    run,
};

fn run(checkout: &Checkout, args: &[String]) -> Result<(), Stop> {
    Words::new(COMMAND.name, args).rest(0)?;
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let contents = Contents::of(checkout);
    let mut rows = vec![
        ["status", "exercise", "chapter", "needs", "title"].map(String::from),
    ];
    let mut solved = 0;
    let mut seen = Vec::new();
    for exercise in &exercises {
        let status = Status::of(exercise, &progress, checkout);
        solved += usize::from(status.is_solved());
        seen.push(status);
        let number = contents.number(&exercise.chapter);
        rows.push([
            status.shown().to_string(),
            exercise.id.clone(),
            number.map(|it| it.to_string()).unwrap_or_default(),
            exercise.needs.join(", "),
            exercise.title.clone(),
        ]);
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> =
            cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        say!("{}", line.join("  ").trim_end());
    }
    say!();
    say!("{solved} of {} solved", exercises.len());
    if seen.contains(&Status::Skipped) {
        say!(
            "skipped: no OpenCL device was here when it was checked, which is"
        );
        say!(
            "what `needs` asks for. `cargo learn doctor` says what is missing,"
        );
        say!("`cargo learn setup` installs it; then check it again.");
    }
    if seen.contains(&Status::InPart) {
        say!(
            "in part: solved, with right numbers, but nobody looked for races"
        );
        say!("and stray reads, since Oclgrind was missing or came to no end.");
        say!("`cargo learn setup` installs it; then check it again.");
    }
    if seen.contains(&Status::Stale) {
        say!("stale: it was solved, and its file has changed since; check it");
        say!("again to see whether it still is.");
    }
    if let Some(next) = status::next(&exercises, &progress, checkout, &[]) {
        say!("Next: cargo learn check {}", next.id);
    }
    Ok(())
}
