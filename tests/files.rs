//! Files that are damaged in every way end in a sentence, or are read for
//! what they are: no panic, and no data that is half of one thing.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rungrad::data::{Dataset, read_digits};
use rungrad::{Error, attempt};

#[allow(unreachable_pub)]
#[path = "common/damage.rs"]
mod damage;
#[allow(dead_code, unreachable_pub)]
#[path = "common/random.rs"]
mod random;

use damage::damaged;
use random::{Random, cases, first_seed};

/// The first rows of the digits.
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

/// Whether the file was read.
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

/// Below the compression, where its sum does not see it, and above.
#[test]
fn damaged_digits_are_refused_in_a_sentence_or_are_digits() {
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
    // Another number of the right size is no damage that can be seen.
    assert!(cases(2000) < 2000 || read > 0 && refused > 0);
}
