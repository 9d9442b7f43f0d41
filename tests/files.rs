//! A damaged data file is either rejected with one sentence or read as valid
//! data: no panic and no half-read data.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rungrad::data::{Dataset, Names, mnist, read_digits};
use rungrad::loader::Rows;
use rungrad::{Error, attempt};

use testkit::damage::damaged;
use testkit::random::{Random, cases, first_seed};

/// The first rows of the digits file.
fn rows() -> Vec<u8> {
    let file = include_bytes!("../data/digits.csv.gz");
    let mut text = String::new();
    GzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
    let rows: Vec<&str> = text.lines().take(4).collect();
    (rows.join("\n") + "\n").into_bytes()
}

fn zipped(text: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(text).unwrap();
    file.finish().unwrap()
}

/// Returns whether the file could be read; checks the sentence if it could
/// not.
fn is_read(file: &[u8], seed: u64) -> bool {
    let digits: Dataset = match attempt(|| read_digits(file)).flatten() {
        Ok(digits) => digits,
        Err(Error::File(sentence)) => {
            assert!(!sentence.contains('\n'), "seed {seed}: {sentence}");
            assert!(sentence.contains("the digits"), "seed {seed}: {sentence}");
            return false;
        }
        Err(other) => panic!("seed {seed}: {other:?}"),
    };
    assert_eq!(digits.inputs.len(), 64 * digits.labels.len(), "seed {seed}");
    let paper_to_ink = digits.inputs.iter().all(|p| (0.0..=1.0).contains(p));
    let classes = digits.labels.iter().all(|&label| label < 10);
    assert!(paper_to_ink && classes, "seed {seed}");
    true
}

/// The damage is applied to the compressed file, where the checksum detects
/// it, and to the text, where it does not.
///
/// Promise: A damaged digits file is rejected in one sentence.
#[test]
fn damaged_digits_are_rejected_or_valid() {
    let text = rows();
    let file = zipped(&text);
    let (mut read, mut refused) = (0, 0);
    for seed in first_seed()..first_seed() + cases(2000) {
        let mut random = Random(seed);
        let file = match random.below(4) {
            0 => damaged(&file, &mut random),
            _ => zipped(&damaged(&text, &mut random)),
        };
        match is_read(&file, seed) {
            true => read += 1,
            false => refused += 1,
        }
    }
    // A different value of the right length cannot be detected as damage.
    assert!(cases(2000) < 2000 || read > 0 && refused > 0);
}

/// Promise: A damaged list of names is rejected in one sentence.
#[test]
fn damaged_names_are_rejected_or_valid() {
    let text = "emma\nolivia\nava\nisabella\n".repeat(8).into_bytes();
    let path = testkit::place::scratch().join("damaged_names");
    let (mut read, mut refused) = (0, 0);
    for seed in first_seed()..first_seed() + cases(1000) {
        let mut random = Random(seed);
        let file = match random.below(3) {
            0 => damaged(&zipped(&text), &mut random),
            1 => zipped(&damaged(&text, &mut random)),
            _ => damaged(&text, &mut random),
        };
        fs::write(&path, file).unwrap();
        match attempt(|| Names::read(&path)).flatten() {
            Ok(names) => {
                let longest = names.names.iter().map(String::len).max();
                let rows = names.whole(longest.unwrap() + 1);
                assert_eq!(rows.count(), names.names.len(), "seed {seed}");
                read += 1;
            }
            Err(Error::File(said)) => {
                assert!(!said.contains('\n'), "seed {seed}: {said}");
                assert!(said.contains("damaged_names"), "seed {seed}: {said}");
                refused += 1;
            }
            Err(other) => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(cases(1000) < 1000 || read > 100 && refused > 100);
}

/// Promise: A damaged MNIST file is rejected in one sentence.
#[test]
fn damaged_mnist_files_are_rejected_or_valid() {
    let folder = testkit::place::scratch().join("damaged_mnist");
    fs::create_dir_all(&folder).unwrap();
    let file = |axes: &[u32], value: u8| {
        let mut file = vec![0, 0, 8, axes.len() as u8];
        file.extend(axes.iter().flat_map(|size| size.to_be_bytes()));
        let count = axes.iter().product::<u32>() as usize;
        file.resize(file.len() + count, value);
        file
    };
    let files = [
        ("train-images-idx3-ubyte", file(&[5, 4, 3], 9)),
        ("train-labels-idx1-ubyte.gz", zipped(&file(&[5], 9))),
        ("t10k-images-idx3-ubyte.gz", zipped(&file(&[2, 4, 3], 9))),
        ("t10k-labels-idx1-ubyte", file(&[2], 9)),
    ];
    let (mut read, mut refused) = (0, 0);
    for seed in first_seed()..first_seed() + cases(1000) {
        let mut random = Random(seed);
        let bad = random.below(files.len());
        for (at, (name, bytes)) in files.iter().enumerate() {
            let bytes = match at == bad {
                true => damaged(bytes, &mut random),
                false => bytes.clone(),
            };
            fs::write(folder.join(name), bytes).unwrap();
        }
        match attempt(|| mnist(&folder)).flatten() {
            Ok((train, test)) => {
                for data in [train, test] {
                    let rows = data.rows() * data.columns;
                    assert_eq!(data.inputs.len(), rows, "seed {seed}");
                }
                read += 1;
            }
            Err(Error::File(said)) => {
                assert!(!said.contains('\n'), "seed {seed}: {said}");
                let name = files[bad].0.trim_end_matches(".gz");
                let kind = name.split('-').next().unwrap();
                assert!(said.contains(kind), "seed {seed}: {said}");
                refused += 1;
            }
            Err(other) => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(cases(1000) < 1000 || read > 10 && refused > 100);
}
