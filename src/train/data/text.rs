//! Text data sets: Shakespeare or a text file, divided into windows.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use flate2::read::GzDecoder;

use super::{TokenBatch, Vocabulary};
use crate::error::{CHECK_PATH, Error, Result, mistake, or_raise};
use crate::loader::Rows;

/// A text as a sequence of tokens, one per character.
#[derive(Clone, Debug)]
pub struct Text {
    /// The characters of the text.
    pub vocabulary: Vocabulary,
    /// The tokens, shared with the windows of the text.
    pub tokens: Arc<[usize]>,
}

impl Text {
    /// Encodes a text with a vocabulary of its characters.
    ///
    /// ```
    /// use rungrad::data::Text;
    /// let text = Text::new("to be or not to be");
    /// assert_eq!(text.vocabulary.size(), 7);
    /// assert_eq!(text.vocabulary.decode(&text.tokens[..5]), "to be");
    /// ```
    pub fn new(text: &str) -> Text {
        let vocabulary = Vocabulary::of(text);
        let tokens = or_raise(vocabulary.encode(text)).into();
        Text { vocabulary, tokens }
    }

    /// Reads a text file, which may be compressed with gzip.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not valid UTF-8.
    pub fn read(path: impl AsRef<Path>) -> Result<Text> {
        read_text(path.as_ref()).map(|text| Text::new(&text))
    }

    /// Splits the text into a training set and a validation set, the last
    /// tenth of the text. Windows that would cross the border are in neither.
    pub fn split(&self) -> (Text, Text) {
        let (train, test) = self.tokens.split_at(self.tokens.len() * 9 / 10);
        let part = |tokens: &[usize]| Text {
            vocabulary: self.vocabulary.clone(),
            tokens: tokens.into(),
        };
        (part(train), part(test))
    }

    /// Returns the windows of `length` tokens that start at every `step`-th
    /// token. With a step of 1 there is a window at each position; with a step
    /// of `length` the windows do not overlap.
    ///
    /// # Panics
    ///
    /// If the text is not longer than a window, or `length` or `step` is 0.
    #[track_caller]
    pub fn windows(&self, length: usize, step: usize) -> Windows {
        if length == 0 || step == 0 || self.tokens.len() <= length {
            mistake(format!(
                "windows: a text of {} tokens has none of {length} tokens \
                 and what follows them, each {step} further on; take a longer \
                 text, or shorter windows, and 1 or more",
                self.tokens.len()
            ));
        }
        Windows { tokens: self.tokens.clone(), length, step }
    }
}

/// Loads 1,115,394 characters of Shakespeare's plays. The file is compiled
/// into the program; `data/README.md` names its source.
#[track_caller]
pub fn shakespeare() -> Text {
    const FILE: &[u8] = include_bytes!("../../../data/shakespeare.txt.gz");
    Text::new(&or_raise(decode("data/shakespeare.txt.gz", FILE)))
}

/// The windows of a text, created on demand. The target of each token is the
/// next token, so a window of n tokens has n targets.
#[derive(Clone, Debug)]
pub struct Windows {
    tokens: Arc<[usize]>,
    length: usize,
    step: usize,
}

impl Rows for Windows {
    type Batch = TokenBatch;

    fn count(&self) -> usize {
        (self.tokens.len() - self.length - 1) / self.step + 1
    }

    fn batch(&self, rows: &[usize]) -> TokenBatch {
        let columns = self.length;
        let mut batch = TokenBatch { columns, ..TokenBatch::default() };
        for row in rows {
            let from = row * self.step;
            let window = &self.tokens[from..=from + columns];
            batch.push(window[..columns].iter().copied(), &window[1..]);
        }
        batch
    }
}

/// Reads a text file, which may be compressed with gzip.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    let cannot = Error::io(path, "cannot be read", CHECK_PATH);
    let bytes = fs::read(path).map_err(cannot)?;
    decode(&name, &bytes)
}

/// Decodes the bytes of a text file. They are decompressed first if they start
/// with the magic number of gzip. A byte order mark is removed.
pub(super) fn decode(name: &str, bytes: &[u8]) -> Result<String> {
    let mut text = Vec::new();
    let unpacked = match bytes {
        [0x1f, 0x8b, ..] => {
            GzDecoder::new(bytes).read_to_end(&mut text).map(|_| &text[..])
        }
        _ => Ok(bytes),
    };
    let unpacked = unpacked.map_err(|error| {
        Error::File(format!(
            "{name} cannot be decompressed ({error}); fetch it again"
        ))
    })?;
    let text = str::from_utf8(unpacked).map_err(|error| {
        Error::File(format!(
            "{name} is not UTF-8 text from byte {} on; convert it first",
            error.valid_up_to()
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::attempt;
    use crate::data::tests::scratch;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(bytes).unwrap();
        file.finish().unwrap()
    }

    #[test]
    fn the_shakespeare_file_is_the_committed_one() {
        let text = shakespeare();
        assert_eq!(text.tokens.len(), 1_115_394);
        assert_eq!(text.vocabulary.size(), 65);
        let first = text.vocabulary.decode(&text.tokens[..14]);
        assert_eq!(first, "First Citizen:");
        let (train, test) = text.split();
        assert_eq!(
            (train.tokens.len(), test.tokens.len()),
            (1_003_854, 111_540)
        );
        assert_eq!(test.vocabulary, text.vocabulary);
    }

    #[test]
    fn a_window_is_followed_by_the_next_token() {
        let text = Text::new("abcdefg");
        let windows = text.windows(3, 1);
        assert_eq!(windows.count(), 4);
        let batch = windows.batch(&[3, 0]);
        assert_eq!((batch.rows(), batch.columns), (2, 3));
        assert_eq!(batch.inputs, [3, 4, 5, 0, 1, 2]);
        assert_eq!(batch.targets, [4, 5, 6, 1, 2, 3]);
        assert_eq!(batch.weights, [1.0; 6]);
        let apart = text.windows(3, 3);
        assert_eq!(apart.count(), 2);
        assert_eq!(apart.batch(&[1]).targets, [4, 5, 6]);
        assert_eq!(Text::new("abcdef").windows(3, 3).count(), 1);
    }

    #[test]
    fn windows_that_do_not_fit_are_rejected() {
        let text = Text::new("abc");
        assert_eq!(text.windows(2, 1).count(), 1);
        for (length, step) in [(3, 1), (0, 1), (1, 0)] {
            let refused = attempt(|| text.windows(length, step)).unwrap_err();
            assert!(matches!(refused, Error::Mistake(_)), "{length} {step}");
        }
    }

    #[test]
    fn text_files_are_read_compressed_or_not() {
        let folder = scratch("texts");
        let marked = "\u{feff}to be".as_bytes();
        for (name, bytes) in [
            ("plain", b"to be".to_vec()),
            ("zipped", zipped(b"to be")),
            ("marked", marked.to_vec()),
            ("marked and zipped", zipped(marked)),
        ] {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            let text = Text::read(&path).unwrap();
            assert_eq!(text.vocabulary.decode(&text.tokens), "to be");
            assert_eq!(text.vocabulary.size(), 5, "{name}");
        }
    }

    #[test]
    fn a_file_that_is_not_text_gives_one_sentence() {
        let folder = scratch("no_texts");
        let path = folder.join("text");
        let name = path.display();
        let refusal = |bytes: Option<&[u8]>| {
            match bytes {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => drop(fs::remove_file(&path)),
            }
            Text::read(&path).unwrap_err().to_string()
        };
        let missing = refusal(None);
        assert!(missing.starts_with(&format!("{name} cannot be read: ")));
        let bad = format!(
            "{name} is not UTF-8 text from byte 2 on; convert it first"
        );
        assert_eq!(refusal(Some(b"ab\xff")), bad);
        assert_eq!(refusal(Some(&zipped(b"ab\xff"))), bad);
        let file = zipped(b"to be or not to be");
        let cut = refusal(Some(&file[..file.len() - 9]));
        assert!(cut.contains(" cannot be decompressed ("), "{cut}");
    }
}
