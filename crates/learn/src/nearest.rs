//! Suggests the word that was probably meant.

/// Returns the name that was probably meant by `word`: the first name that
/// contains it, or else the one with the fewest edits. `None` if no name is
/// near. A name that only begins with such a word, or has it between
/// underscores, counts one edit more. The first of several equal names wins.
pub(crate) fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let long = word.chars().count();
    if long >= MIN_PART
        && let Some(name) = names.iter().find(|name| name.contains(word))
    {
        return Some(name);
    }
    // Twice the edits, plus one for a part.
    let distance = |name: &str| {
        let beginning: String = name.chars().take(long).collect();
        let parts = name.split('_').chain([beginning.as_str()]);
        let parts = parts.map(|part| 2 * edits(word, part) + 1);
        parts.chain([2 * edits(word, name)]).min().unwrap_or(usize::MAX)
    };
    let letters = word.trim_start_matches('-').chars().count();
    let near = names.iter().map(|name| (distance(name), *name));
    let near = near.filter(|(distance, _)| {
        letters > 0 && *distance <= 2 * most_edits(letters) + 1
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns the nearest name as a remark for a sentence, or nothing.
pub(crate) fn suggestion(word: &str, names: &[&str]) -> String {
    match nearest(word, names) {
        Some(name) => format!(" (did you mean {name}?)"),
        None => String::new(),
    }
}

/// The number of letters from which a word may be the middle of a name.
const MIN_PART: usize = 3;

/// Returns how many edits may separate a word of this length from a name.
fn most_edits(length: usize) -> usize {
    (length / 3).max(1)
}

/// Counts the letters to insert, remove, replace or swap with their neighbor.
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.to_lowercase().chars().collect();
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let differs = usize::from(from[i - 1] != to[j - 1]);
            let mut best = (table[i - 1][j - 1] + differs)
                .min(table[i - 1][j] + 1)
                .min(table[i][j - 1] + 1);
            let swapped = i > 1
                && j > 1
                && from[i - 1] == to[j - 2]
                && from[i - 2] == to[j - 1];
            if swapped {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_with_the_fewest_edits_is_nearest_ignoring_case() {
        let names = ["book", "setup", "doctor"];
        for word in ["setp", "setupp", "satup", "setpu", "SETUP"] {
            assert_eq!(nearest(word, &names), Some("setup"));
        }
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn a_name_that_contains_the_word_is_near() {
        let names = ["fill_uniform", "ew_mul", "matmul3_tiled", "matmul4"];
        for word in ["matmul3", "tiled", "tild", "3_ti"] {
            assert_eq!(nearest(word, &names), Some("matmul3_tiled"), "{word}");
        }
        let names = ["ties", "quarter_turn", "mul_rule"];
        assert_eq!(nearest("uqarter", &names), Some("quarter_turn"));
    }

    #[test]
    fn a_word_that_resembles_no_name_has_no_suggestion() {
        let names = ["ties", "setup", "launch_geometry", "fill_uniform"];
        for word in ["", "nothing", "nosuch", "submit", "xy"] {
            assert_eq!(nearest(word, &names), None, "{word}");
        }
        assert_eq!(nearest("--fast", &["--list", "--quick"]), None);
        assert_eq!(nearest("--quik", &["--list", "--quick"]), Some("--quick"));
        assert_eq!(suggestion("submit", &names), "");
        assert_eq!(suggestion("setpu", &names), " (did you mean setup?)");
    }
}
