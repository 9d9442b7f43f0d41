//! The verdicts that the book shows. `book/listings/verdict_EXERCISE_NAME.out`
//! is what the check prints for a wrong answer, a level or a stub. To add one,
//! create an empty file and run `UPDATE=1 cargo xtask verify EXERCISE`.

use std::{env, fs};

use super::variants::Variant;
use learn::checkout::Checkout;
use learn::course::Exercise;

/// Compares a verdict with its listing, if it has one, and returns an error if
/// they differ. With `UPDATE=1` it writes the listing instead.
pub(super) fn stale(
    checkout: &Checkout,
    exercise: &Exercise,
    variant: &Variant,
    said: &str,
) -> Option<String> {
    let file = format!("book/listings/verdict_{}.out", variant.listing);
    let path = checkout.root.join(&file);
    let old = fs::read_to_string(&path).ok()?;
    let mut said = said.trim_matches('\n').to_string();
    let folder = checkout.target.join("verify");
    said = said.replace(&*folder.to_string_lossy(), "target");
    // A path inside the checkout is printed relative to its root.
    said = said.replace("target/verify/", "target/");
    let id = &exercise.id;
    let new = format!("$ cargo learn check {id}\n{said}\n");
    let is_written =
        env::var("UPDATE").is_ok() && fs::write(&path, &new).is_ok();
    (old != new && !is_written).then(|| {
        format!(
            "{file} is not what the check prints now. Run UPDATE=1 cargo \
             xtask verify {id}, and read the change"
        )
    })
}
