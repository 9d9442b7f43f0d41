//! How much of a milestone is the reader's: it is solved with one operation of
//! theirs, and there are more to bring.

use std::sync::OnceLock;

use crate::token::say;

/// How many are the reader's, and of how many: in the child as its check has
/// counted them, in the parent as the child has said.
static TIER: OnceLock<(usize, usize)> = OnceLock::new();

/// Says whose the parts of a milestone are, and notes it for the verdict.
/// `parts` are "operations" or "kernels".
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

/// Writes what stands behind the word of a verdict.
pub(crate) fn written() -> String {
    TIER.get().map_or(String::new(), |(yours, all)| format!(" {yours}/{all}"))
}

/// Notes, in the parent, what the child has written.
pub(crate) fn hear(words: &str) {
    let numbers = words.trim().split_once('/').and_then(|(yours, all)| {
        Some((yours.parse().ok()?, all.parse().ok()?))
    });
    if let Some(tier) = numbers {
        let _ = TIER.set(tier);
    }
}
