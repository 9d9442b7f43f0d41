//! Suggests the word that was probably meant.

/// Returns the candidate with the fewest edits from `word`. A candidate that
/// only begins with such a word counts one edit more. The first of several
/// equal candidates wins.
pub(crate) fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let long = word.chars().count();
    let distance = |name: &&&str| {
        let beginning: String = name.chars().take(long).collect();
        edits(word, name).min(edits(word, &beginning) + 1)
    };
    names.iter().min_by_key(distance).copied()
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
    fn a_candidate_that_begins_with_the_word_is_near() {
        let names = ["ew_mul", "matmul3_tiled", "matmul4_column"];
        assert_eq!(nearest("matmul3", &names), Some("matmul3_tiled"));
        let names = ["ties", "quarter_turn", "mul_rule"];
        assert_eq!(nearest("uqarter", &names), Some("quarter_turn"));
        assert_eq!(nearest("", &["book"]), Some("book"));
    }
}
