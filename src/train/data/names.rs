//! First names as character-level data: contexts with the next token, and
//! whole names.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::text::{decode, read_text};
use super::{TokenBatch, Vocabulary};
use crate::error::{Error, Result, mistake, or_raise};
use crate::loader::Rows;
use crate::rng::Random;

/// The token that starts and ends a name: the newline. Every character in
/// a name has a higher code point, so its token is 0.
const END: usize = 0;

/// A list of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The characters of the names; token 0 is the end of a name.
    pub vocabulary: Vocabulary,
    /// The names, in the order of the list.
    pub names: Vec<String>,
}

/// Loads 32,033 first names. The file is compiled into the program;
/// `data/README.md` names its source.
#[track_caller]
pub fn names() -> Names {
    const FILE: &[u8] = include_bytes!("../../../data/names.txt.gz");
    const NAME: &str = "data/names.txt.gz";
    or_raise(decode(NAME, FILE).and_then(|text| Names::of(NAME, &text)))
}

impl Names {
    /// Parses a list with one name per line. `list` is its name in the error
    /// message.
    ///
    /// # Errors
    ///
    /// If the list is empty, or a line is blank or contains a control
    /// character.
    pub fn of(list: &str, text: &str) -> Result<Names> {
        let names: Vec<String> = text.lines().map(str::to_string).collect();
        let is_bad = |name: &String| {
            name.trim().is_empty() || name.contains(char::is_control)
        };
        let bad = match names.is_empty() {
            true => Some(0),
            false => names.iter().position(is_bad),
        };
        if let Some(index) = bad {
            let line = names.get(index).map_or("", |name| name);
            return Err(Error::File(format!(
                "line {} of {list} is {line:?}; it must be a name",
                index + 1
            )));
        }
        let vocabulary = Vocabulary::of(&(names.concat() + "\n"));
        Ok(Names { vocabulary, names })
    }

    /// Reads a list with one name per line, which may be compressed with gzip.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a list with one name per line.
    pub fn read(path: impl AsRef<Path>) -> Result<Names> {
        let path = path.as_ref();
        Names::of(&path.display().to_string(), &read_text(path)?)
    }

    /// Splits the names into a training set and a validation set of `held_out`
    /// names. All copies of a repeated name are in the same set, so that the
    /// validation set has only names that were not learned.
    ///
    /// # Panics
    ///
    /// If there are not more than `held_out` names.
    #[track_caller]
    pub fn split(&self, held_out: usize, seed: u64) -> (Names, Names) {
        if held_out >= self.names.len() {
            mistake(format!(
                "split: of {} names {held_out} cannot be held out; leave some \
                 to learn from",
                self.names.len()
            ));
        }
        let mut times: HashMap<&String, usize> = HashMap::new();
        self.names.iter().for_each(|name| *times.entry(name).or_default() += 1);
        let mut order: Vec<&String> = self.names.iter().collect();
        Random::new(seed).shuffle(&mut order);
        let (mut drawn, mut left) = (HashSet::new(), held_out);
        for name in order {
            if times[name] <= left && drawn.insert(name) {
                left -= times[name];
            }
        }
        let (test, train): (Vec<&String>, Vec<&String>) =
            self.names.iter().partition(|name| drawn.contains(name));
        let part = |names: Vec<&String>| Names {
            vocabulary: self.vocabulary.clone(),
            names: names.into_iter().cloned().collect(),
        };
        (part(train), part(test))
    }

    /// Creates one row per token of each name, including its end: the input is
    /// the `length` tokens before it, padded with zeros at the front, and the
    /// target is the token.
    #[track_caller]
    pub fn contexts(&self, length: usize) -> Contexts {
        if length == 0 {
            mistake("contexts: take a length of 1 or more".to_string());
        }
        let (mut tokens, mut targets) = (Vec::new(), Vec::new());
        for name in self.tokens() {
            tokens.resize(tokens.len() + length, END);
            let first = tokens.len();
            tokens.extend(name);
            tokens.push(END);
            targets.extend(first..tokens.len());
        }
        Contexts { tokens, targets, length }
    }

    /// Creates one row per name: the input is 0 and the tokens of the name,
    /// the targets are its tokens and 0. Rows are padded with zeros to
    /// `length`; the targets of the padding have weight 0.
    ///
    /// # Panics
    ///
    /// If a name has `length` or more characters.
    #[track_caller]
    pub fn whole(&self, length: usize) -> WholeNames {
        let names: Vec<Vec<usize>> = self.tokens().collect();
        if let Some(i) = names.iter().position(|name| name.len() >= length) {
            mistake(format!(
                "whole: {:?} has {} signs, and with the 0 before them a row \
                 of {length} has no room; take longer rows",
                self.names[i],
                names[i].len()
            ));
        }
        WholeNames { names, length }
    }

    fn tokens(&self) -> impl Iterator<Item = Vec<usize>> {
        self.names.iter().map(|name| or_raise(self.vocabulary.encode(name)))
    }
}

/// The tokens of names, each with its preceding tokens as context.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// The tokens of all names. Each name is preceded by `length` zeros and
    /// followed by one.
    tokens: Vec<usize>,
    /// The index in `tokens` of each token to predict.
    targets: Vec<usize>,
    length: usize,
}

impl Rows for Contexts {
    type Batch = TokenBatch;

    fn count(&self) -> usize {
        self.targets.len()
    }

    fn batch(&self, rows: &[usize]) -> TokenBatch {
        let columns = self.length;
        let mut batch = TokenBatch { columns, ..TokenBatch::default() };
        for &row in rows {
            let target = self.targets[row];
            let context = &self.tokens[target - columns..target];
            let targets = &self.tokens[target..=target];
            batch.push(context.iter().copied(), targets);
        }
        batch
    }
}

/// Whole names, one per row.
#[derive(Clone, Debug)]
pub struct WholeNames {
    names: Vec<Vec<usize>>,
    length: usize,
}

impl Rows for WholeNames {
    type Batch = TokenBatch;

    fn count(&self) -> usize {
        self.names.len()
    }

    fn batch(&self, rows: &[usize]) -> TokenBatch {
        let columns = self.length;
        let mut batch = TokenBatch { columns, ..TokenBatch::default() };
        for (row, &name) in rows.iter().enumerate() {
            let name = &self.names[name];
            batch.push([END].into_iter().chain(name.iter().copied()), name);
            // The end of the name is a target too; the padding after it is
            // not.
            let end = (row + 1) * columns;
            batch.push([], &[END]);
            batch.inputs.resize(end, END);
            batch.targets.resize(end, END);
            batch.weights.resize(end, 0.0);
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt;

    fn few(text: &str) -> Names {
        Names::of("few", text).unwrap()
    }

    #[test]
    fn the_names_file_is_the_committed_one() {
        let names = names();
        assert_eq!(names.names.len(), 32_033);
        assert_eq!(names.names[..3], ["emma", "olivia", "ava"]);
        assert_eq!(names.vocabulary.size(), 27);
        assert_eq!(names.vocabulary.number('\n'), Some(END));
        assert_eq!(names.names.iter().map(String::len).max(), Some(15));
        assert_eq!(names.contexts(3).count(), 228_146);
    }

    /// Promise: No name of the validation set is in the training set.
    #[test]
    fn validation_names_are_not_in_the_training_set() {
        let names = names();
        let (train, test) = names.split(1000, 1797);
        assert_eq!(train.names.len() + test.names.len(), 32_033);
        let learned: HashSet<&String> = train.names.iter().collect();
        assert!(test.names.iter().all(|name| !learned.contains(name)));
        assert_eq!(test.names.len(), 1000);
        assert_eq!(names.split(1000, 1797).1, test);
        assert_ne!(names.split(1000, 1798).1, test);
        assert_eq!(test.vocabulary, names.vocabulary);
    }

    #[test]
    fn a_context_is_the_tokens_before_a_target() {
        let names = few("ab\nc\n");
        let contexts = names.contexts(3);
        assert_eq!(contexts.count(), 5);
        let batch = contexts.batch(&[0, 1, 2, 3, 4]);
        assert_eq!(batch.inputs, [0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 0, 3]);
        assert_eq!(batch.targets, [1, 2, 0, 3, 0]);
        assert_eq!(batch.weights, [1.0; 5]);
        assert_eq!(contexts.batch(&[2]).inputs, [0, 1, 2]);
        // A context that is shorter than the name.
        assert_eq!(names.contexts(1).batch(&[2]).inputs, [2]);
    }

    #[test]
    fn a_byte_order_mark_is_ignored() {
        let path = crate::data::tests::scratch("marked_names").join("names");
        std::fs::write(&path, "\u{feff}anna\neve\n").unwrap();
        assert_eq!(Names::read(&path).unwrap(), few("anna\neve\n"));
    }

    #[test]
    fn padding_after_a_name_has_no_weight() {
        let whole = few("ab\nc\n").whole(3);
        let batch = whole.batch(&[1, 0]);
        assert_eq!((batch.rows(), batch.columns), (2, 3));
        assert_eq!(batch.inputs, [0, 3, 0, 0, 1, 2]);
        assert_eq!(batch.targets, [3, 0, 0, 1, 2, 0]);
        assert_eq!(batch.weights, [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
        let long = attempt(|| few("ab\nabc\n").whole(3)).unwrap_err();
        assert!(long.to_string().starts_with("whole: \"abc\" has 3 signs"));
    }

    #[test]
    fn a_line_that_is_not_a_name_gives_one_sentence() {
        for (text, line) in [
            ("", "line 1 of few is \"\""),
            ("a\n\nb", "line 2 of few is \"\""),
            ("a\nb\n ", "line 3 of few is \" \""),
            ("a\u{1b}[2J", "line 1 of few is \"a\\u{1b}[2J\""),
        ] {
            let refused = Names::of("few", text).unwrap_err().to_string();
            assert_eq!(refused, format!("{line}; it must be a name"));
        }
        assert_eq!(few("a\r\nb").names, ["a", "b"]);
        let missing = Names::read("none/names").unwrap_err().to_string();
        assert!(missing.starts_with("none/names cannot be read: "));
    }

    #[test]
    fn a_split_larger_than_the_names_is_rejected() {
        let names = few("a\nb");
        assert_eq!(names.split(1, 0).0.names.len(), 1);
        let refused = attempt(|| names.split(2, 0)).unwrap_err();
        assert!(matches!(refused, Error::Mistake(_)));
    }
}
