//! Checks `kept_keys`, a test that must reject every wrong cache.
//!
//! The roles are reversed: the learner writes the test, and our code may be
//! wrong.

use std::process::ExitCode;

use exercises::{Outcome, check_test, wrong};
use rungrad::rng::Random;
use yours::Reader;

exercises::yours!("part3_unified/kept_keys.rs");

fn main() -> ExitCode {
    check_test("kept_keys", YOURS, "reader", accepted, &FAULTS, is_accepted)
}

/// The bug in each reader, by its number, counted from 1.
const FAULTS: [&str; 7] = [
    "it counts the positions of each piece from 0",
    "it caches only the last position of each piece",
    "it forgets everything more than five positions back",
    "it inserts new values before the old ones, and new keys after",
    "inside a piece, positions attend to later ones",
    "a new text begins with the cache of the old one",
    "it caches keys and values of the first piece only",
];

const PLACES: usize = 1;
const LAST: usize = 2;
const SHORT: usize = 3;
const TURNED: usize = 4;
const AHEAD: usize = 5;
const NEVER_ENDS: usize = 6;
const FIRST: usize = 7;

const WIDTH: usize = 4;
const TOKENS: usize = 5;
const CONTEXT: usize = 8;

type Row = [f32; WIDTH];

/// One attention head on rows of four values with random weights.
struct Planted {
    fault: usize,
    keys: Vec<Row>,
    values: Vec<Row>,
    read: usize,
}

/// Returns a row of a table, which is the same in every run.
fn row(table: u64, at: usize) -> Row {
    let mut random = Random::at([table, WIDTH as u64 * at as u64]);
    std::array::from_fn(|_| 4.0 * random.uniform() - 2.0)
}

/// Multiplies by a table's matrix.
fn times(table: u64, x: &Row) -> Row {
    let mut out = [0.0; WIDTH];
    for (at, x) in x.iter().enumerate() {
        let weights = row(table, at);
        out.iter_mut().zip(weights).for_each(|(out, w)| *out += x * w / 2.0);
    }
    out
}

fn dot(a: &Row, b: &Row) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Planted {
    fn new(fault: usize) -> Planted {
        Planted { fault, keys: vec![], values: vec![], read: 0 }
    }

    /// Attends to the first `count` keys, newest first if the text is read in
    /// pieces: a correct reader may round differently.
    fn seen(&self, query: &Row, count: usize, turned: bool) -> Row {
        let weight = |at: usize| (dot(query, &self.keys[at]) / 2.0).exp();
        let from = match self.fault {
            // The bug does not affect the first piece.
            SHORT if turned => count.saturating_sub(6),
            _ => 0,
        };
        let mut places: Vec<usize> = (from..count).collect();
        if turned {
            places.reverse();
        }
        let total: f32 = places.iter().map(|&at| weight(at)).sum();
        let mut out = [0.0; WIDTH];
        for at in places {
            let share = weight(at) / total;
            let pairs = out.iter_mut().zip(self.values[at]);
            pairs.for_each(|(out, value)| *out += share * value);
        }
        out
    }
}

impl Reader for Planted {
    fn begin(&mut self) {
        if self.fault != NEVER_ENDS {
            *self = Planted::new(self.fault);
        }
        self.read = 0;
    }

    fn read(&mut self, tokens: &[usize]) -> Vec<f32> {
        if tokens.is_empty() || self.read + tokens.len() > CONTEXT {
            panic!(
                "read was called with {} tokens after {} others: a piece has \
                 at least one token, and a text at most {CONTEXT}",
                tokens.len(),
                self.read
            );
        }
        let before = self.keys.len();
        let rows: Vec<Row> = tokens
            .iter()
            .enumerate()
            .map(|(at, &token)| {
                let place = match self.fault {
                    PLACES => at,
                    _ => self.read + at,
                };
                let (a, b) = (row(1, token), row(2, place));
                std::array::from_fn(|i| a[i] + b[i])
            })
            .collect();
        self.keys.extend(rows.iter().map(|x| times(4, x)));
        let values = rows.iter().map(|x| times(5, x));
        match self.fault {
            TURNED => self.values = values.chain(self.values.clone()).collect(),
            _ => self.values.extend(values),
        }
        let mut scores = Vec::new();
        for (at, x) in rows.iter().enumerate() {
            let count = match self.fault {
                AHEAD if before > 0 => before + tokens.len(),
                _ => before + at + 1,
            };
            let seen = self.seen(&times(3, x), count, before > 0);
            let sum: Row = std::array::from_fn(|i| x[i] + seen[i]);
            scores.extend((0..TOKENS).map(|token| dot(&sum, &row(6, token))));
        }
        let kept = match self.fault {
            LAST => before..before + tokens.len() - 1,
            FIRST if before > 0 => before..before + tokens.len(),
            _ => 0..0,
        };
        self.keys.drain(kept.clone());
        self.values.drain(kept);
        self.read += tokens.len();
        scores
    }
}

fn accepted() -> Outcome {
    match yours::accepts(&mut Planted::new(0)) {
        true => Ok(()),
        false => Err(wrong(
            "Your test rejects a reader whose scores differ by less than 1e-5 \
             because it adds in a different order. Compare with a tolerance.",
        )),
    }
}

/// Returns whether the learner's test accepts the reader with this bug.
fn is_accepted(fault: usize) -> bool {
    yours::accepts(&mut Planted::new(fault))
}
