//! The wrong answers of a day. An exercise has about eight of them, and to
//! build and run them all is most of what `verify` does; so every run of the
//! whole check proves a few of each exercise, and all of those that have
//! changed, and a night proves all.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::checkout::Checkout;
use crate::course::{Exercise, Wrong};
use crate::exercises::status::mixed;

/// Of so many wrong answers of an exercise a day proves one, and at least one.
const ONE_OF: usize = 8;

const TABLE: &str = "exercises/exercises.toml";

/// What differs from the commit before the last, in files that are committed
/// and in those that are not.
struct Changes {
    /// Paths from the root of the checkout.
    files: Vec<String>,
    /// The table as it was.
    table: String,
}

impl Changes {
    /// Asks git, which may not be there, or have nothing to say.
    fn read(checkout: &Checkout) -> Option<Changes> {
        let root = &checkout.root;
        // The first commit has none before it, nor has a copy of the last one.
        let base = ["HEAD^", "HEAD"].into_iter().find(|base| {
            git(root, &["rev-parse", "--verify", "--quiet", base]).is_some()
        })?;
        let changed = ["diff", "--name-only", "--relative", "-z", base];
        let new = ["ls-files", "-z", "--others", "--exclude-standard"];
        let lists = [git(root, &changed)?, git(root, &new)?];
        let files = lists.iter().flat_map(|list| list.split('\0'));
        let table = git(root, &["show", &format!("{base}:./{TABLE}")])?;
        Some(Changes { files: files.map(String::from).collect(), table })
    }

    /// Tells whether something of this exercise has changed: a file, or its row
    /// in `table`.
    fn touch(&self, exercise: &Exercise, table: &str) -> bool {
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
        self.files.iter().any(is_own) || row(&self.table, id) != row(table, id)
    }
}

/// Finds the row of an exercise in the text of a table.
fn row<'a>(table: &'a str, id: &str) -> Option<&'a str> {
    let [double, single] = [format!("id = \"{id}\""), format!("id = '{id}'")];
    let is_its = |line: &str| line == double || line == single;
    let mut rows = table.split("[[exercise]]");
    rows.find(|row| row.lines().any(is_its)).map(str::trim)
}

fn git(root: &Path, words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // Where root builds what another user has checked out, git would refuse.
    git.args(["-c", "safe.directory=*"]).args(words).current_dir(root);
    let output = git.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// Returns the wrong answers that a day proves. Where git does not say what has
/// changed, these are all.
pub(super) fn of_a_day<'a>(
    checkout: &Checkout,
    exercises: &'a [Exercise],
) -> Vec<Vec<&'a Wrong>> {
    let changes = Changes::read(checkout);
    let table = fs::read_to_string(checkout.root.join(TABLE));
    let table = table.unwrap_or_default();
    let of = |exercise: &'a Exercise| match &changes {
        Some(changes) if !changes.touch(exercise, &table) => {
            drawn(exercise, row(&table, &exercise.id).unwrap_or_default())
        }
        _ => exercise.wrong.iter().collect(),
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
