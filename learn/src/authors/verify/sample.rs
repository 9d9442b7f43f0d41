//! What a day proves. To build and run all that is known of an exercise, a
//! dozen files, is most of what `verify` does; so every run of the whole check
//! proves a fourteenth, another one each day, each solution where the judge has
//! changed, and all of an exercise that has; and a night all.

use std::fs;

use super::variants::{Variant, Wanted};
use crate::authors::changes::{Changes, today};
use crate::checkout::Checkout;
use crate::course::Exercise;
use crate::exercises::status::mixed;

/// The days in which all comes round.
const FORTNIGHT: u64 = 14;

const TABLE: &str = "exercises/exercises.toml";

/// What judges every solution.
const JUDGE: [&str; 3] =
    ["exercises/Cargo.toml", "exercises/src/", "learn/src/exercises/"];

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

/// Keeps of each exercise's variants what a day proves. Where git does not say
/// what has changed, these are all.
pub(super) fn of_a_day(
    checkout: &Checkout,
    exercises: &[Exercise],
    variants: &mut [Vec<Variant>],
) {
    let changes = Changes::read(checkout);
    let before = changes.as_ref().and_then(|it| it.before(checkout, TABLE));
    let (Some(changes), Some(before)) = (changes, before) else { return };
    let table = fs::read_to_string(checkout.root.join(TABLE));
    let table = table.unwrap_or_default();
    let of_all = |file: &String| JUDGE.iter().any(|it| file.starts_with(it));
    let solved = changes.files.iter().any(of_all);
    for (exercise, variants) in exercises.iter().zip(variants) {
        let id = &exercise.id;
        if !touches(&changes.files, exercise)
            && row(&before, id) == row(&table, id)
        {
            keep(variants, today() + mixed(id.as_bytes()) % FORTNIGHT, solved);
        }
    }
}

/// Keeps every fourteenth, so that two weeks have them all, and at least one;
/// and perhaps the first that passes, our solution, beside them.
fn keep(variants: &mut Vec<Variant>, day: u64, solved: bool) {
    let passes = |it: &Variant| solved && matches!(it.wanted, Wanted::Pass);
    let solution = variants.iter().position(passes);
    let others = variants.len() - usize::from(solution.is_some());
    let round = FORTNIGHT.min(others.max(1) as u64);
    let mut places = 0..;
    let mut at = 0..;
    variants.retain(|_| {
        at.next() == solution
            || places.next().is_some_and(|it: u64| it % round == day % round)
    });
}
