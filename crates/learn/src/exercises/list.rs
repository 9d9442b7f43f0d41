//! `cargo learn list`: lists all exercises with their status.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Contents};
use crate::exercises::hint;
use crate::exercises::levels;
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::terminal::{self, say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "list",
    usage: "",
    summary: "list all exercises with their status",
    page: "\
Lists the exercises part by part, in the recommended order; you may check any
exercise at any time. One star means that the page has just shown it, and four
stars an evening's work. The minutes are estimates, and the hints are the ones
that you have seen. An exercise is solved, failing, to do, skipped (this machine
lacks what it needs), stale (its file has changed since it was solved), or
solved in part (races and out-of-bounds reads could not be checked). For a
milestone it says how many operations are yours: one is enough, and all are
better. Exercises with levels are at the end, with the levels that pass.",
    run,
};

const HEAD: [&str; 8] = [
    "status", "exercise", "chapter", "how hard", "minutes", "hints", "needs",
    "title",
];

/// The meaning of a status and the next step.
const LEGENDS: [(Status, &str); 3] = [
    (
        Status::Skipped,
        "skipped: no OpenCL device was here when it was checked, which `needs` \
         asks for. `cargo learn doctor` says what is missing, `cargo learn \
         setup` installs it; then check it again.",
    ),
    (
        Status::InPart,
        "in part: solved, with the right numbers, but not checked for races \
         and stray reads, because Oclgrind was missing or did not end. `cargo \
         learn setup` installs it; then check it again.",
    ),
    (
        Status::Stale,
        "stale: it was solved, and its file or its check has changed since \
         then. `cargo learn check --solved` checks all solved exercises again.",
    ),
];

fn run(checkout: &Checkout, args: Args) -> Result<(), Stop> {
    args.rest(0)?;
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let contents = Contents::read(checkout);
    let mut solved = 0;
    let mut seen = Vec::new();
    let mut rows = vec![HEAD.map(String::from)];
    for exercise in &exercises {
        let status = Status::saved(exercise, &progress, checkout);
        solved += usize::from(status.is_solved());
        seen.push(status);
        let number = contents.number(&exercise.chapter);
        rows.push([
            status.shown().to_string(),
            exercise.id.clone(),
            number.map(|it| it.to_string()).unwrap_or_default(),
            "*".repeat(exercise.difficulty.into()),
            exercise.minutes.to_string(),
            match hint::shown_count(exercise, &progress) {
                0 => String::new(),
                seen => format!("{seen} of {}", exercise.hints.len()),
            },
            exercise.needs.join(", "),
            match status::tier(exercise, &progress) {
                _ if exercise.has_levels() => exercise.title.clone(),
                Some(tier) => format!("{} ({})", exercise.title, tier.shown()),
                None => exercise.title.clone(),
            },
        ]);
    }
    let lines = lines(&rows);
    say!("{}", lines[0]);
    let mut part = "";
    for (exercise, line) in exercises.iter().zip(&lines[1..]) {
        if exercise.part() != part {
            part = exercise.part();
            let all = exercises.iter().zip(&seen);
            let all = all.filter(|(it, _)| it.part() == part);
            let done = all.clone().filter(|(_, it)| it.is_solved()).count();
            say!();
            say!("{part}: {done} of {} solved", all.count());
        }
        say!("{line}");
    }
    for exercise in exercises.iter().filter(|it| it.has_levels()) {
        levels::list(exercise, &progress, &contents);
    }
    say!();
    say!("{solved} of {} solved", exercises.len());
    for (status, legend) in LEGENDS {
        if seen.contains(&status) {
            wrapped(legend).iter().for_each(|line| say!("{line}"));
        }
    }
    if let Some(next) = status::next(&exercises, &progress, checkout, &[]) {
        say!("Next: cargo learn check {}", next.id);
    }
    Ok(())
}

/// Aligns the cells in columns and cuts the lines to the width of a terminal.
fn lines<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let room = terminal::columns().unwrap_or(usize::MAX);
        terminal::truncate(line.trim_end(), room)
    };
    rows.iter().map(line).collect()
}
