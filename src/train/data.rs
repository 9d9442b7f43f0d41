//! Data sets: handwritten digits and two moons, built in "Train the digits"
//! and used by every part; names, texts and MNIST files, added in "Weights
//! that travel". A [`Loader`](crate::loader::Loader) makes batches of all of
//! them.
//!
//! Reading order: [`Dataset`] with its [split](Dataset::split) and its
//! [batches](Dataset::batches), [`digits`], [`moons`], [`mnist()`],
//! [`Vocabulary`], [`TokenBatch`], [`names()`], [`Text`].

mod mnist;
mod names;
mod text;
mod tokens;

use std::f32::consts::PI;
use std::io::Read;

use flate2::read::GzDecoder;

pub use mnist::mnist;
pub use names::{Contexts, Names, WholeNames, names};
pub use text::{Text, Windows, shakespeare};
pub use tokens::{TokenBatch, Vocabulary};

use crate::error::{Error, mistake, or_raise};
use crate::rng::Random;

/// The seed of the split into training and test set. All parts use it, so
/// every network, on every device, is tested on the same rows.
#[doc(hidden)]
pub const SPLIT_SEED: u64 = 1797;

/// A labeled data set for classification.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The features, (rows, columns) in row-major order.
    pub inputs: Vec<f32>,
    /// The number of features of a row.
    pub columns: usize,
    /// The class of each row, in `0..classes`.
    pub labels: Vec<usize>,
    /// The number of classes.
    pub classes: usize,
}

impl Dataset {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Returns the shape of the inputs as a matrix.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows(), self.columns]
    }

    /// Returns one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.inputs[row * self.columns..][..self.columns]
    }

    /// Returns a data set of these rows, in this order.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        let inputs = rows.iter().flat_map(|&row| self.row(row));
        Dataset {
            inputs: inputs.copied().collect(),
            columns: self.columns,
            labels: rows.iter().map(|&row| self.labels[row]).collect(),
            classes: self.classes,
        }
    }
}

// ANCHOR: split
impl Dataset {
    /// Splits the rows into a training set and a test set with a fifth of the
    /// rows. The split is stratified: rows are drawn class by class, so that
    /// both sets have the same proportion of each class. Both keep the order
    /// of the rows.
    pub fn split(&self, seed: u64) -> (Dataset, Dataset) {
        let mut random = Random::new(seed);
        let mut is_test = vec![false; self.rows()];
        for class in 0..self.classes {
            let has_class = |&row: &usize| self.labels[row] == class;
            let mut rows: Vec<usize> =
                (0..self.rows()).filter(has_class).collect();
            random.shuffle(&mut rows);
            let fifth = (rows.len() + 2) / 5;
            rows[..fifth].iter().for_each(|&row| is_test[row] = true);
        }
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..self.rows()).partition(|&row| is_test[row]);
        (self.select(&train), self.select(&test))
    }

    /// Splits the rows into a training set and a test set, which is the last
    /// fifth of the rows. If the rows are not in random order, the two sets
    /// differ in kind: the last digits were written by different people, so
    /// this test is harder, although the classes are equally frequent.
    pub fn split_in_order(&self) -> (Dataset, Dataset) {
        let rows: Vec<usize> = (0..self.rows()).collect();
        let (train, test) = rows.split_at(self.rows() - self.rows() / 5);
        (self.select(train), self.select(test))
    }
}
// ANCHOR_END: split

impl Dataset {
    /// Returns the rows in shuffled order, in batches of `size`. The last
    /// batch has the remaining rows.
    #[track_caller]
    pub fn batches<'a>(
        &'a self,
        size: usize,
        random: &mut Random,
    ) -> impl Iterator<Item = Dataset> + use<'a> {
        if size == 0 {
            mistake(
                "batches: a batch of 0 rows never ends the data; take 1 or \
                 more"
                    .to_string(),
            );
        }
        let mut order: Vec<usize> = (0..self.rows()).collect();
        random.shuffle(&mut order);
        (0..self.rows()).step_by(size).map(move |from| {
            let to = order.len().min(from + size);
            self.select(&order[from..to])
        })
    }
}

/// Loads 1797 handwritten digits of 8 x 8 pixels from 0 (paper) to 1 (ink).
/// The file is compiled into the program; `data/README.md` names its source.
#[track_caller]
pub fn digits() -> Dataset {
    or_raise(read_digits(DIGITS))
}

const DIGITS: &[u8] = include_bytes!("../../data/digits.csv.gz");

/// Reads digits from a gzip-compressed CSV file. A line has 64 pixels from 0
/// to 16, then the digit.
#[doc(hidden)]
pub fn read_digits(compressed: &[u8]) -> Result<Dataset, Error> {
    let mut text = String::new();
    GzDecoder::new(compressed).read_to_string(&mut text).map_err(|error| {
        Error::File(format!(
            "the digits cannot be decompressed ({error}); restore \
             data/digits.csv.gz from the repository"
        ))
    })?;
    let mut digits = Dataset {
        inputs: Vec::new(),
        columns: 64,
        labels: Vec::new(),
        classes: 10,
    };
    for (i, line) in text.lines().enumerate() {
        let Some((pixels, label)) = parse_digit(line) else {
            return Err(Error::File(format!(
                "line {} of the digits is {line:?}; it must be 64 pixels \
                 from 0 to 16 and a digit, with commas between them",
                i + 1
            )));
        };
        digits.inputs.extend(pixels.iter().map(|&p| f32::from(p) / 16.0));
        digits.labels.push(label);
    }
    Ok(digits)
}

/// Parses the pixels and the label of a line.
fn parse_digit(line: &str) -> Option<(Vec<u8>, usize)> {
    let numbers = line.split(',').map(|word| word.parse().ok());
    let mut numbers: Vec<u8> = numbers.collect::<Option<_>>()?;
    let label = numbers.pop()?;
    let fits = numbers.len() == 64 && numbers.iter().all(|&p| p <= 16);
    (fits && label <= 9).then_some((numbers, usize::from(label)))
}

/// Creates the two-moons data set: two interleaved half circles, one per
/// class, which a straight line cannot separate. `noise` is the standard
/// deviation of the points from the circles.
pub fn moons(rows: usize, noise: f32, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let labels: Vec<usize> = (0..rows).map(|row| row % 2).collect();
    let inputs = labels.iter().flat_map(|&label| {
        let angle = PI * random.uniform();
        let (x, y) = match label {
            0 => (angle.cos(), angle.sin()),
            _ => (1.0 - angle.cos(), 0.5 - angle.sin()),
        };
        [x + noise * random.normal(), y + noise * random.normal()]
    });
    Dataset { inputs: inputs.collect(), columns: 2, labels, classes: 2 }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::{Path, PathBuf};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::attempt;

    /// Creates an empty folder for a test.
    pub(super) fn scratch(test: &str) -> PathBuf {
        let built = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = if built.is_dir() { built } else { Path::new(".") };
        let folder = root.join("target/tmp/data").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn per_class(data: &Dataset) -> Vec<usize> {
        let mut count = vec![0; data.classes];
        data.labels.iter().for_each(|&label| count[label] += 1);
        count
    }

    #[test]
    fn the_digits_file_is_the_committed_one() {
        let digits = digits();
        assert_eq!(digits.shape(), [1797, 64]);
        assert_eq!(
            per_class(&digits),
            [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
        );
        assert_eq!(digits.labels[..12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]);
        let ink: f32 = digits.inputs.iter().map(|pixel| pixel * 16.0).sum();
        assert_eq!(ink, 561_718.0);
        assert!(digits.inputs.iter().all(|p| (0.0..=1.0).contains(p)));
    }

    #[test]
    fn damaged_digits_give_one_sentence() {
        let zip = |text: &str| {
            let mut file = GzEncoder::new(Vec::new(), Compression::fast());
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap()
        };
        let refusal = |file: &[u8]| read_digits(file).unwrap_err().to_string();
        let row = |pixels: usize, pixel: u8, label: u8| {
            format!("{}{label}\n", format!("{pixel},").repeat(pixels))
        };
        let good = zip(&row(64, 16, 9));
        assert_eq!(read_digits(&good).unwrap().labels, [9]);
        let cut = refusal(&good[..good.len() - 9]);
        assert!(cut.contains("cannot be decompressed"), "{cut}");
        for length in [0, 1, 100, DIGITS.len() / 2, DIGITS.len() - 1] {
            let cut = refusal(&DIGITS[..length]);
            assert!(cut.contains("restore data/digits.csv.gz"), "{cut}");
        }
        let dark = format!("17,{}", row(63, 0, 1));
        for bad in [row(63, 0, 1), row(65, 0, 1), row(64, 17, 1), dark] {
            let sentence = refusal(&zip(&(row(64, 0, 1) + &bad)));
            assert!(sentence.starts_with("line 2 of"), "{sentence}");
        }
        for bad in [row(64, 0, 10), "a,b\n".to_string(), "\n".to_string()] {
            let sentence = refusal(&zip(&bad));
            assert!(sentence.starts_with("line 1 of"), "{sentence}");
        }
    }

    #[test]
    fn a_split_tests_a_fifth_of_every_class() {
        let digits = digits();
        let (train, test) = digits.split(SPLIT_SEED);
        assert_eq!((train.rows(), test.rows()), (1438, 359));
        let all = per_class(&digits);
        for (all, test) in all.into_iter().zip(per_class(&test)) {
            assert!((all as f32 / 5.0 - test as f32).abs() <= 0.5);
        }
    }

    #[test]
    fn the_last_fifth_has_all_classes() {
        let (train, test) = digits().split_in_order();
        assert_eq!((train.rows(), test.rows()), (1438, 359));
        assert_eq!(per_class(&test), [35, 36, 34, 37, 37, 37, 37, 36, 33, 37]);
    }

    #[test]
    fn training_and_test_rows_are_disjoint() {
        // The feature of each row is its index.
        let rows: Vec<f32> = (0..100).map(|row| row as f32).collect();
        let data = Dataset {
            inputs: rows.clone(),
            columns: 1,
            labels: (0..100).map(|row| row % 3).collect(),
            classes: 3,
        };
        let (train, test) = data.split(4);
        let mut all = [train.inputs, test.inputs].concat();
        all.sort_by(f32::total_cmp);
        assert_eq!(all, rows);
        assert_ne!(data.split(4).1, data.split(5).1);
        assert_eq!(data.split(4), data.split(4));
    }

    #[test]
    fn the_split_with_a_seed_is_fixed() {
        let digits = digits();
        let (_, test) = digits.split(SPLIT_SEED);
        // The expected order comes from an independent implementation in a
        // different language.
        let rows = [0, 1, 12, 26, 37, 40, 42, 43, 51, 58, 60, 64];
        let first: Vec<usize> = (0..12).collect();
        assert_eq!(test.select(&first), digits.select(&rows));
    }

    #[test]
    fn batches_contain_every_row_once_with_its_label() {
        let data = moons(23, 0.1, 1);
        let batches: Vec<Dataset> =
            data.batches(5, &mut Random::new(9)).collect();
        let sizes: Vec<usize> = batches.iter().map(Dataset::rows).collect();
        assert_eq!(sizes, [5, 5, 5, 5, 3]);
        let even = moons(20, 0.1, 1).batches(5, &mut Random::new(9)).count();
        assert_eq!(even, 4);
        let row = |d: &Dataset, row| (d.row(row).to_vec(), d.labels[row]);
        let mut seen: Vec<_> = batches
            .iter()
            .flat_map(|batch| (0..batch.rows()).map(move |r| row(batch, r)))
            .collect();
        let mut all: Vec<_> = (0..23).map(|r| row(&data, r)).collect();
        assert_ne!(seen, all);
        let by_point = |a: &(Vec<f32>, usize), b: &(Vec<f32>, usize)| {
            a.0.partial_cmp(&b.0).unwrap()
        };
        seen.sort_by(by_point);
        all.sort_by(by_point);
        assert_eq!(seen, all);
    }

    #[test]
    fn a_batch_size_of_0_is_rejected() {
        let data = moons(4, 0.0, 1);
        let refused = attempt(|| data.batches(0, &mut Random::new(1)).count());
        assert!(matches!(refused, Err(Error::Mistake(_))));
    }

    #[test]
    fn noise_is_added_to_both_coordinates() {
        let (still, noisy) = (moons(1, 0.0, 6), moons(1, 0.5, 6));
        let mut random = Random::new(6);
        random.uniform();
        for (noisy, still) in noisy.inputs.iter().zip(still.inputs) {
            assert_eq!(*noisy, still + 0.5 * random.normal());
        }
    }

    #[test]
    fn moons_alternate_their_classes() {
        let data = moons(7, 0.1, 1);
        assert_eq!(data.labels, [0, 1, 0, 1, 0, 1, 0]);
        assert_eq!((data.columns, data.classes), (2, 2));
    }

    #[test]
    fn each_moon_is_half_a_circle() {
        let data = moons(100, 0.0, 6);
        for (row, &label) in data.labels.iter().enumerate() {
            let [x, y] = *data.row(row) else { panic!("two columns") };
            let (x, y) = if label == 0 { (x, y) } else { (1.0 - x, 0.5 - y) };
            assert!(((x * x + y * y) - 1.0).abs() < 1e-5 && y >= 0.0);
        }
    }
}
