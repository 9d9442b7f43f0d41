//! Signs as numbers, and batches of them.

use crate::error::{Error, Result};

/// The different signs of a text. Each has a number, its place in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    signs: Vec<char>,
}

impl Vocabulary {
    /// Collects the signs of a text, each once, in the order of their codes.
    pub fn of(text: &str) -> Vocabulary {
        let mut signs: Vec<char> = text.chars().collect();
        signs.sort_unstable();
        signs.dedup();
        Vocabulary { signs }
    }

    /// Counts the signs.
    pub fn size(&self) -> usize {
        self.signs.len()
    }

    /// Returns the number of a sign, if it has one.
    pub fn number(&self, sign: char) -> Option<usize> {
        self.signs.binary_search(&sign).ok()
    }

    /// Writes a text as numbers.
    ///
    /// ```
    /// use rungrad::data::Vocabulary;
    /// let vocabulary = Vocabulary::of("hello");
    /// let tokens = vocabulary.encode("hole")?;
    /// assert_eq!(tokens, [1, 3, 2, 0]);
    /// assert_eq!(vocabulary.decode(&tokens), "hole");
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a sign has no number.
    pub fn encode(&self, text: &str) -> Result<Vec<usize>> {
        let token = |sign| {
            self.number(sign).ok_or_else(|| {
                Error::Usage(format!(
                    "{sign:?} is none of the {} signs that this model has \
                     learned; leave it out",
                    self.size()
                ))
            })
        };
        text.chars().map(token).collect()
    }

    /// Writes numbers as the text that they mean.
    ///
    /// # Panics
    ///
    /// If a number is that of no sign.
    pub fn decode(&self, tokens: &[usize]) -> String {
        tokens.iter().map(|&token| self.signs[token]).collect()
    }
}

/// Rows of tokens, and what follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenBatch {
    /// (rows, columns), in row-major order.
    pub inputs: Vec<usize>,
    /// How many tokens a row has.
    pub columns: usize,
    /// What follows: a token for each row, or one for each input.
    pub targets: Vec<usize>,
    /// A number for each target: 1, or 0 where a row has ended before and
    /// there is nothing to predict.
    pub weights: Vec<f32>,
}

impl TokenBatch {
    /// Counts the rows.
    pub fn rows(&self) -> usize {
        self.inputs.len() / self.columns.max(1)
    }

    /// Adds a row, and what follows in it.
    pub(super) fn push(
        &mut self,
        inputs: impl IntoIterator<Item = usize>,
        targets: &[usize],
    ) {
        self.inputs.extend(inputs);
        self.targets.extend(targets);
        self.weights.resize(self.targets.len(), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_counted_once_and_in_order() {
        let vocabulary = Vocabulary::of("ab\nba é");
        assert_eq!(vocabulary.size(), 5);
        assert_eq!(vocabulary.number('\n'), Some(0));
        assert_eq!(vocabulary.number('é'), Some(4));
        assert_eq!(vocabulary.number('c'), None);
        assert_eq!(Vocabulary::of("").size(), 0);
    }

    #[test]
    fn a_sign_without_a_number_is_refused() {
        let refused = Vocabulary::of("ab").encode("abc").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "'c' is none of the 2 signs that this model has learned; leave it \
             out"
        );
    }
}
