//! Counts how much of a milestone is the reader's. One operation of their own
//! solves it, and more can follow.

use std::sync::OnceLock;

use crate::token::say;

/// The number of the reader's parts, and the total. The child's check counts
/// them; the parent receives them from the child.
static TIER: OnceLock<(usize, usize)> = OnceLock::new();

/// Prints which parts of a milestone are the reader's and which are ours, and
/// records the count for the verdict. `parts` are "operations" or "kernels".
pub fn tier(parts: &str, yours: &[&str], ours: &[&str]) {
    let all = yours.len() + ours.len();
    let _ = TIER.set((yours.len(), all));
    let names = yours.join(", ");
    if ours.is_empty() {
        return say(&format!("  all {all} {parts} are yours: {names}"));
    }
    say(&format!("  {} of {all} {parts} are yours: {names}", yours.len()));
    say(&format!("  from the engine: {}", ours.join(", ")));
}

/// Formats the count that follows the word of a verdict.
pub(crate) fn written() -> String {
    TIER.get().map_or(String::new(), |(yours, all)| format!(" {yours}/{all}"))
}

/// In the parent, parses what the child has written.
pub(crate) fn hear(words: &str) {
    let numbers = words.trim().split_once('/').and_then(|(yours, all)| {
        Some((yours.parse().ok()?, all.parse().ok()?))
    });
    if let Some(tier) = numbers {
        let _ = TIER.set(tier);
    }
}
