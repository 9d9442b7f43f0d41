//! The wrong answers of a day. An exercise has about eight of them, and to
//! build and run them all is most of what `verify` does; so every run of the
//! whole check proves a few of each exercise, and all of those that have
//! changed, and a night proves all.

use std::fs;

use crate::authors::changes::Changes;
use crate::checkout::Checkout;
use crate::course::{Exercise, Wrong};
use crate::exercises::status::mixed;

/// Of so many wrong answers of an exercise a day proves one, and at least one.
const ONE_OF: usize = 8;

const TABLE: &str = "exercises/exercises.toml";

/// Tells whether one of these files is the exercise's.
fn touches(files: &[String], exercise: &Exercise) -> bool {
    let Exercise { id, file, .. } = exercise;
    let own = [
        file.clone(),
        format!("solutions/{file}"),
        format!("solutions/again/{file}"),
        format!("checks/{id}.rs"),
    ];
    let rooms = [format!("right/{id}/"), format!("wrong/{id}/")];
    let is_own = |path: &String| {
        path.strip_prefix("exercises/").is_some_and(|path| {
            own.iter().any(|own| own == path)
                || rooms.iter().any(|room| path.starts_with(room))
        })
    };
    files.iter().any(is_own)
}

/// Finds the row of an exercise in the text of a table.
fn row<'a>(table: &'a str, id: &str) -> Option<&'a str> {
    let [double, single] = [format!("id = \"{id}\""), format!("id = '{id}'")];
    let is_its = |line: &str| line == double || line == single;
    let mut rows = table.split("[[exercise]]");
    rows.find(|row| row.lines().any(is_its)).map(str::trim)
}

/// Returns the wrong answers that a day proves. Where git does not say what has
/// changed, these are all.
pub(super) fn of_a_day<'a>(
    checkout: &Checkout,
    exercises: &'a [Exercise],
) -> Vec<Vec<&'a Wrong>> {
    let changes = Changes::read(checkout);
    let before = changes.as_ref().and_then(|it| it.before(checkout, TABLE));
    let table = fs::read_to_string(checkout.root.join(TABLE));
    let table = table.unwrap_or_default();
    let of = |exercise: &'a Exercise| {
        let row = |table| row(table, &exercise.id).unwrap_or_default();
        match (&changes, &before) {
            (Some(changes), Some(before))
                if !touches(&changes.files, exercise)
                    && row(before) == row(&table) =>
            {
                drawn(exercise, row(&table))
            }
            _ => exercise.wrong.iter().collect(),
        }
    };
    exercises.iter().map(of).collect()
}

/// Draws some of an exercise's wrong answers, by the text of its row: no other
/// exercise moves the draw, and a change of its own makes another.
fn drawn<'a>(exercise: &'a Exercise, row: &str) -> Vec<&'a Wrong> {
    let mut wrong: Vec<&Wrong> = exercise.wrong.iter().collect();
    wrong.sort_by_key(|it| mixed(format!("{} {row}", it.file).as_bytes()));
    wrong.truncate(exercise.wrong.len().div_ceil(ONE_OF));
    wrong
}
