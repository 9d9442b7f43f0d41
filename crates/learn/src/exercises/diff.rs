//! `cargo learn diff`: yours beside ours, line by line.

use std::fs;

use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::course;
use crate::exercises::stub::SolutionFile;
use crate::exercises::{levels, solution};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "diff",
    usage: "EXERCISE",
    summary: "what you wrote beside our solution, once yours passes",
    page: "\
Compares your file with our solution: lines with a minus are only in yours,
lines with a plus only in ours. As for `solution`, before yours passes it asks
you to try a hint first, and compares when you ask again.",
    run,
};

/// How many equal lines are shown around a change.
const AROUND: usize = 3;

fn run(checkout: &Checkout, words: Words) -> Result<(), Stop> {
    let (ids, _) = words.rest(1)?;
    let exercises = course::exercises(checkout)?;
    let exercise = course::named(&exercises, &ids)?;
    let file = checkout.exercises.join(&exercise.file);
    let place = checkout.shown(&file);
    let yours = fs::read(&file).map_err(|error| {
        Stop::Failed(format!(
            "cannot read {place}: {error}; `cargo learn reset {}` brings the \
             task back",
            exercise.id
        ))
    })?;
    if !solution::may_be_seen(checkout, exercise, "compare")? {
        return Ok(());
    }
    let ours = match exercise.grows() {
        true => {
            let progress = Progress::load(checkout);
            let level = levels::standing(exercise, &progress);
            SolutionFile::stand(checkout, exercise, level)?
        }
        false => SolutionFile::read(checkout, exercise)?.plain,
    };
    let yours = String::from_utf8_lossy(&yours);
    let hunks = hunks(&lines(&yours), &lines(&ours));
    if hunks.is_empty() {
        say!("Yours and ours are the same, line by line.");
        return Ok(());
    }
    say!("--- yours: {place}");
    say!("+++ ours");
    for line in &hunks {
        say!("{line}");
    }
    Ok(())
}

pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Lists the lines of both in order, each with its sign: a minus is only in
/// `old`, a plus only in `new`. A longest common subsequence, by the usual
/// table: an exercise is a page.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    // common[i][j]: how many lines old[i..] and new[j..] can share.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || i < old.len() && common[i + 1][j] >= common[i][j + 1]
        {
            edits.push(('-', old[i]));
            i += 1;
        } else {
            edits.push(('+', new[j]));
            j += 1;
        }
    }
    edits
}

/// Writes the changes with what is around them, as a unified diff; nothing
/// when there is no change.
pub(super) fn hunks(old: &[&str], new: &[&str]) -> Vec<String> {
    let edits = edits(old, new);
    let is_near = |at: usize| {
        let end = edits.len().min(at + AROUND + 1);
        let near = &edits[at.saturating_sub(AROUND)..end];
        near.iter().any(|edit| edit.0 != ' ')
    };
    let mut page = Vec::new();
    let (mut in_old, mut in_new) = (1, 1);
    let mut at = 0;
    while at < edits.len() {
        let start = at;
        while at < edits.len() && is_near(at) {
            at += 1;
        }
        let hunk = &edits[start..at.max(start + 1)];
        let of = |sign| hunk.iter().filter(|it| it.0 != sign).count();
        let (from_old, from_new) = (of('+'), of('-'));
        if at > start {
            // A side without lines names the line before it.
            let first = |line: usize, count| line - usize::from(count == 0);
            page.push(format!(
                "@@ -{},{from_old} +{},{from_new} @@",
                first(in_old, from_old),
                first(in_new, from_new)
            ));
            let shown = |(sign, line): &(char, &str)| {
                format!("{sign}{line}").trim_end().to_string()
            };
            page.extend(hunk.iter().map(shown));
        }
        (in_old, in_new) = (in_old + from_old, in_new + from_new);
        at = start + hunk.len();
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> Vec<String> {
        let old: Vec<&str> = old.split_whitespace().collect();
        let new: Vec<&str> = new.split_whitespace().collect();
        hunks(&old, &new)
    }

    #[test]
    fn equal_files_have_no_hunk() {
        assert!(diff("", "").is_empty());
        assert!(diff("a b c", "a b c").is_empty());
    }

    #[test]
    fn a_change_stands_among_three_lines_on_each_side() {
        let page = diff("a b c d x e f g h", "a b c d y z e f g h");
        let hunk = "@@ -2,7 +2,8 @@| b| c| d|-x|+y|+z| e| f| g";
        assert_eq!(page.join("|"), hunk);
    }

    #[test]
    fn changes_far_apart_are_two_hunks() {
        let page = diff("x 1 2 3 4 5 6 7 y", "1 2 3 4 5 6 7");
        let hunks = "@@ -1,4 +1,3 @@|-x| 1| 2| 3|@@ -6,4 +5,3 @@| 5| 6| 7|-y";
        assert_eq!(page.join("|"), hunks);
    }

    #[test]
    fn an_empty_side_counts_from_zero() {
        assert_eq!(diff("", "a").join("|"), "@@ -0,0 +1,1 @@|+a");
        assert_eq!(diff("a b", "").join("|"), "@@ -1,2 +0,0 @@|-a|-b");
    }
}
