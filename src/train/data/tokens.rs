//! A character-level vocabulary, and batches of tokens.

use crate::error::{Error, Result};

/// The distinct characters of a text, sorted by code point. The token of a
/// character is its index in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    characters: Vec<char>,
}

impl Vocabulary {
    /// Creates the vocabulary of a text.
    pub fn of(text: &str) -> Vocabulary {
        let mut characters: Vec<char> = text.chars().collect();
        characters.sort_unstable();
        characters.dedup();
        Vocabulary { characters }
    }

    /// Returns the number of distinct characters.
    pub fn size(&self) -> usize {
        self.characters.len()
    }

    /// Returns the token of a character, or `None` if it is not in the
    /// vocabulary.
    pub fn number(&self, character: char) -> Option<usize> {
        self.characters.binary_search(&character).ok()
    }

    /// Encodes a text as tokens.
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
    /// If a character is not in the vocabulary.
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

    /// Decodes tokens to a text.
    ///
    /// # Panics
    ///
    /// If a token is out of range.
    pub fn decode(&self, tokens: &[usize]) -> String {
        tokens.iter().map(|&token| self.characters[token]).collect()
    }
}

/// A batch of rows of tokens, with the tokens to predict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenBatch {
    /// The input tokens, (rows, columns) in row-major order.
    pub inputs: Vec<usize>,
    /// The number of tokens in a row.
    pub columns: usize,
    /// The tokens to predict: one for each row, or one for each input token.
    pub targets: Vec<usize>,
    /// The weight of each target in the loss: 1, or 0 for padding.
    pub weights: Vec<f32>,
}

impl TokenBatch {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.inputs.len() / self.columns.max(1)
    }

    /// Adds a row with its targets.
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
    fn characters_are_numbered_once_and_in_order() {
        let vocabulary = Vocabulary::of("ab\nba é");
        assert_eq!(vocabulary.size(), 5);
        assert_eq!(vocabulary.number('\n'), Some(0));
        assert_eq!(vocabulary.number('é'), Some(4));
        assert_eq!(vocabulary.number('c'), None);
        assert_eq!(Vocabulary::of("").size(), 0);
    }

    #[test]
    fn unknown_characters_are_rejected() {
        let refused = Vocabulary::of("ab").encode("abc").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "'c' is none of the 2 signs that this model has learned; leave it \
             out"
        );
    }
}
