//! The warp figure of "Neighbors": the cache lines and sectors that a warp
//! accesses in one step.

use rungrad::Error;
use serde_json::{Value, json};

/// Items that share an instruction.
const ITEMS: usize = 32;
/// Elements in a cache line of 128 bytes, and in a sector of 32 bytes.
const LINE: usize = 32;
const SECTOR: usize = 8;

/// Answers a stride and the index of item 0: all indices, and the cache lines
/// and sectors that contain them.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let words: Option<Vec<usize>> =
        words.iter().map(|word| word.parse().ok()).collect();
    let words = words.as_deref().unwrap_or_default();
    let [stride @ 0..=1024, first @ 0..=1024] = *words else {
        return Err(Error::Usage(
            "a warp takes a stride and a first place, each at most 1024"
                .to_string(),
        ));
    };
    let places: Vec<usize> =
        (0..ITEMS).map(|item| first + stride * item).collect();
    // The indices are in ascending order, and so are the lines.
    let touched = |size: usize| {
        let mut found: Vec<usize> = places.iter().map(|it| it / size).collect();
        found.dedup();
        found
    };
    let sectors = touched(SECTOR);
    Ok(json!({
        "places": places,
        "lines": touched(LINE),
        "sectors": sectors,
        "used": 4 * touched(1).len(),
        "fetched": 4 * SECTOR * sectors.len(),
    }))
}
