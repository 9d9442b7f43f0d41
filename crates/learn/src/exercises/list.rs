//! `cargo learn list`: lists all exercises with their status.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Contents, Exercise};
use crate::exercises::hint;
use crate::exercises::levels;
use crate::exercises::status::{self, Status};
use crate::nearest::suggestion;
use crate::progress::Progress;
use crate::terminal::{self, say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "list",
    usage: "[--track NAME]",
    summary: "list all exercises with their status",
    page: "\
Lists the exercises part by part, in the order of the chapters; you may check
any exercise at any time. The columns are the number of the chapter (ch), the
difficulty, from one star for what the page has just shown to four stars for an
evening's work, the estimated minutes, and the hints that you have seen. A
narrow terminal shows fewer columns.

An exercise is solved, failing, to do, skipped (this machine lacks what it
needs), stale (its file has changed since it was solved), or solved in part
(races and out-of-bounds reads could not be checked). If a network is trained
with your operations, the list says how many are yours: one is enough. Exercises
with levels are the last of their part; the levels that pass are at the end.

--track shows only the exercises of a track: engine, kernels or weekend.",
    run,
};

/// The columns. The title is the only one that is wrapped.
const HEAD: [&str; COLUMNS] =
    ["status", "exercise", "", "title", "ch", "stars", "min", "hints"];
const COLUMNS: usize = 8;
const TITLE: usize = 3;

/// The columns that are left out if the title has too little room, in this
/// order, and the least room for a title next to each of them.
const OPTIONAL: [(usize, usize); 4] = [(7, 36), (5, 28), (6, 28), (4, 20)];

/// The least room for a title.
const MIN_TITLE: usize = 12;

/// Marks an exercise that needs an OpenCL device.
const NEEDS_DEVICE: &str = "+";

/// The colors of the states.
const COLORS: &[(&str, &str)] = &[
    ("solved", "32"),
    ("in part", "32"),
    ("failing", "31"),
    ("stale", "33"),
    ("skipped", "33"),
];

/// The meaning of a status and the next step.
const LEGENDS: [(Status, &str); 3] = [
    (
        Status::Skipped,
        "skipped: the exercise needs an OpenCL device, and there was none when \
         it was checked. `cargo learn doctor` says what is missing, and `cargo \
         learn setup` installs it; then check it again.",
    ),
    (
        Status::InPart,
        "in part: the results are right, but races and out-of-bounds reads \
         were not checked, because Oclgrind was missing or did not finish. \
         `cargo learn setup` installs it; then check it again.",
    ),
    (
        Status::Stale,
        "stale: it was solved, and its file or its check has changed since \
         then. `cargo learn check --solved` checks all solved exercises again.",
    ),
];

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let track = args.option("--track")?;
    args.rest(0)?;
    show(checkout, track.as_deref())
}

/// Prints the list, or the exercises of a track.
pub(crate) fn show(
    checkout: &Checkout,
    track: Option<&str>,
) -> Result<(), Stop> {
    let all = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let contents = Contents::read(checkout);
    let track = track.map(|name| find_track(checkout, name)).transpose()?;
    let exercises = match &track {
        Some(track) => select(all, &track.exercises),
        None => all,
    };
    let state = |it: &Exercise| Status::saved(it, &progress, checkout);
    let seen: Vec<Status> = exercises.iter().map(state).collect();
    let rows = exercises
        .iter()
        .zip(&seen)
        .map(|(exercise, status)| row(exercise, *status, &progress, &contents));
    let lines = lines(
        &[&[HEAD.map(String::from)], &*rows.collect::<Vec<_>>()].concat(),
    );
    say!("{}", lines[0]);
    let mut part = "";
    for (exercise, line) in exercises.iter().zip(&lines[1..]) {
        if track.is_none() && exercise.part() != part {
            part = exercise.part();
            let all = exercises.iter().zip(&seen);
            let all = all.filter(|(it, _)| it.part() == part);
            let done = all.clone().filter(|(_, it)| it.is_solved()).count();
            say!();
            say!("{part}: {done} of {} solved", all.count());
        }
        say!("{}", terminal::colored(line, COLORS));
    }
    for exercise in exercises.iter().filter(|it| it.has_levels()) {
        levels::list(exercise, &progress, &contents);
    }
    say!();
    if exercises.iter().any(needs_device) {
        say!("{NEEDS_DEVICE} needs an OpenCL device");
    }
    for (status, legend) in LEGENDS {
        if seen.contains(&status) {
            wrapped(legend).iter().for_each(|line| say!("{line}"));
        }
    }
    if let Some(track) = &track {
        let minutes: u32 = exercises.iter().map(|it| it.minutes).sum();
        let hours = (minutes + 30) / 60;
        say!("Track {}: {}, about {hours} hours", track.id, track.title);
    } else {
        for track in course::tracks(checkout)? {
            say!("{}: cargo learn list --track {}", track.title, track.id);
        }
    }
    let solved = seen.iter().filter(|it| it.is_solved()).count();
    say!("{}", terminal::progress_bar(solved, exercises.len()));
    if let Some(next) = status::next(&exercises, &progress, checkout, &[]) {
        say!("Next: cargo learn check {}", next.id);
    }
    Ok(())
}

fn find_track(checkout: &Checkout, name: &str) -> Result<course::Track, Stop> {
    let mut tracks = course::tracks(checkout)?;
    let Some(at) = tracks.iter().position(|it| it.id == name) else {
        let names: Vec<&str> = tracks.iter().map(|it| &*it.id).collect();
        return Err(Stop::Usage(format!(
            "there is no track {name:?}{}; the tracks are {}",
            suggestion(name, &names),
            names.join(", ")
        )));
    };
    Ok(tracks.swap_remove(at))
}

/// Returns the exercises with these ids, in this order.
fn select(mut exercises: Vec<Exercise>, ids: &[String]) -> Vec<Exercise> {
    let place = |it: &Exercise| ids.iter().position(|id| *id == it.id);
    exercises.retain(|it| place(it).is_some());
    exercises.sort_by_key(place);
    exercises
}

fn needs_device(exercise: &Exercise) -> bool {
    exercise.needs.iter().any(|it| it == "opencl")
}

fn row(
    exercise: &Exercise,
    status: Status,
    progress: &Progress,
    contents: &Contents,
) -> [String; COLUMNS] {
    let number = contents.number(&exercise.chapter);
    let sign = if needs_device(exercise) { NEEDS_DEVICE } else { "" };
    [
        status.shown().to_string(),
        exercise.id.clone(),
        sign.to_string(),
        match status::tier(exercise, progress) {
            _ if exercise.has_levels() => exercise.title.clone(),
            Some(tier) => format!("{} ({})", exercise.title, tier.shown()),
            None => exercise.title.clone(),
        },
        number.map(|it| it.to_string()).unwrap_or_default(),
        "*".repeat(exercise.difficulty.into()),
        exercise.minutes.to_string(),
        match hint::shown_count(exercise, progress) {
            0 => String::new(),
            seen => format!("{seen} of {}", exercise.hints.len()),
        },
    ]
}

/// Aligns the cells in columns that fit the terminal. The text of a row may
/// have several lines, because a long title is wrapped.
fn lines(rows: &[[String; COLUMNS]]) -> Vec<String> {
    align(rows, terminal::columns().unwrap_or(usize::MAX))
}

fn align(rows: &[[String; COLUMNS]], room: usize) -> Vec<String> {
    let mut widths: Vec<usize> = (0..COLUMNS)
        .map(|column| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        })
        .collect();
    let mut shown: Vec<usize> = (0..COLUMNS).collect();
    // The room for the title, next to the columns that are shown.
    let left = |shown: &[usize], widths: &[usize]| {
        let others = shown.iter().filter(|column| **column != TITLE);
        let used: usize = others.map(|column| widths[*column] + 2).sum();
        room.saturating_sub(used)
    };
    for (column, least) in OPTIONAL {
        if left(&shown, &widths) < least.min(widths[TITLE]) {
            shown.retain(|it| *it != column);
        }
    }
    let title = left(&shown, &widths).max(MIN_TITLE).min(widths[TITLE]);
    widths[TITLE] = title;
    let line = |row: &[String; COLUMNS]| {
        let titles = terminal::wrap(&row[TITLE], title);
        let lines = titles.iter().enumerate().map(|(at, part)| {
            let cells = shown.iter().map(|column| {
                let cell = match (*column, at) {
                    (TITLE, _) => part,
                    (column, 0) => &row[column],
                    _ => "",
                };
                format!("{cell:width$}", width = widths[*column])
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            terminal::truncate(line.trim_end(), room)
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<[String; COLUMNS]> {
        let row =
            ["to do", "why_it_does_not_train", "+", "", "40", "**", "30", ""];
        let title = "Multiplication, from the launch to the graph";
        [HEAD, row]
            .map(|row| row.map(String::from))
            .into_iter()
            .map(|mut row| {
                if row[TITLE].is_empty() {
                    row[TITLE] = title.to_string();
                }
                row
            })
            .collect()
    }

    #[test]
    fn every_width_shows_the_whole_title() {
        for room in [200, 100, 80, 60, 50] {
            let lines = align(&rows(), room);
            let words = lines[1].split_whitespace().collect::<Vec<_>>();
            for word in ["why_it_does_not_train", "Multiplication,", "graph"] {
                assert!(words.contains(&word), "{room}: {lines:?}");
            }
            let all = lines.iter().flat_map(|it| it.lines());
            assert!(
                all.clone().all(|it| it.len() <= room),
                "{room}: {lines:?}"
            );
        }
    }

    #[test]
    fn columns_are_left_out_one_after_the_other() {
        let head = |room| align(&rows(), room)[0].clone();
        assert!(head(200).ends_with("ch  stars  min  hints"));
        assert!(head(80).ends_with("ch  stars  min"), "{}", head(80));
        assert!(head(72).ends_with("ch  min"), "{}", head(72));
        assert!(head(60).ends_with("ch"), "{}", head(60));
        assert!(head(50).ends_with("title"), "{}", head(50));
    }
}
