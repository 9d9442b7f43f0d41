//! Checks `killed_and_resumed`, a test that must reject every run that loses
//! state.
//!
//! The roles are reversed: the learner writes the test, and our code may be
//! wrong.

use std::process::ExitCode;

use exercises::{Outcome, check_test, wrong};
use rungrad::rng::{Random, bits};
use yours::Run;

exercises::yours!("part3_unified/killed_and_resumed.rs");

fn main() -> ExitCode {
    check_test(
        "killed_and_resumed",
        YOURS,
        "run",
        accepted,
        &FAULTS,
        is_accepted,
    )
}

/// The bug in each run, by its number, counted from 1.
const FAULTS: [&str; 8] = [
    "it forgets its position in the epoch",
    "it forgets the state of its random numbers",
    "it forgets Adam's running means",
    "it forgets how many steps Adam has taken",
    "it forgets which epoch it is in",
    "its numbers are saved with four digits",
    "it saves its state only once, and returns the same bytes again",
    "saving changes how it continues",
];

const PLACE: usize = 1;
const RANDOM: usize = 2;
const MOMENTS: usize = 3;
const STEPS: usize = 4;
const EPOCH: usize = 5;
const DIGITS: usize = 6;
const ONCE: usize = 7;
const DISTURBS: usize = 8;

const ROWS: usize = 12;
const BATCH: usize = 3;
const SEED: u64 = 5;

/// Fits a plane with three weights to noisy points, with Adam. It uses plain
/// `f64` values to be short.
struct Planted {
    fault: usize,
    weights: [f64; 3],
    means: [f64; 3],
    squares: [f64; 3],
    steps: u64,
    epoch: u64,
    batch: u64,
    random: Random,
    first: Option<Vec<u8>>,
}

impl Planted {
    fn new(fault: usize) -> Planted {
        let zeros = [0.0; 3];
        Planted {
            fault,
            weights: [0.3, -0.2, 0.1],
            means: zeros,
            squares: zeros,
            steps: 0,
            epoch: 0,
            batch: 0,
            random: Random::new(SEED),
            first: None,
        }
    }

    /// The inputs of a row; the last one belongs to the bias.
    fn row(row: usize) -> [f64; 3] {
        let mut random = Random::new(row as u64);
        [random.normal().into(), random.normal().into(), 1.0]
    }

    fn numbers(&mut self) -> [&mut f64; 9] {
        let [a, b, c] = &mut self.weights;
        let [d, e, f] = &mut self.means;
        let [g, h, i] = &mut self.squares;
        [a, b, c, d, e, f, g, h, i]
    }
}

impl Run for Planted {
    fn step(&mut self) -> f32 {
        let mut order: Vec<usize> = (0..ROWS).collect();
        Random::new(bits(SEED, self.epoch)).shuffle(&mut order);
        let from = self.batch as usize * BATCH;
        let (mut loss, mut grad) = (0.0, [0.0; 3]);
        for &row in &order[from..from + BATCH] {
            let x = Planted::row(row);
            let y = 2.0 * x[0] - x[1] + 0.5;
            let noise = 0.1 * f64::from(self.random.uniform());
            let pairs = self.weights.iter().zip(&x);
            let wrong = pairs.map(|(w, x)| w * x).sum::<f64>() + noise - y;
            loss += wrong * wrong / BATCH as f64;
            for (grad, x) in grad.iter_mut().zip(x) {
                *grad += 2.0 * wrong * x / BATCH as f64;
            }
        }
        self.steps += 1;
        let whole = |keep: f64| 1.0 - keep.powi(self.steps as i32);
        for (at, grad) in grad.into_iter().enumerate() {
            let (mean, square) = (&mut self.means[at], &mut self.squares[at]);
            *mean = 0.9 * *mean + 0.1 * grad;
            *square = 0.99 * *square + 0.01 * grad * grad;
            let root = (*square / whole(0.99)).sqrt() + 1e-8;
            self.weights[at] -= 0.05 * (*mean / whole(0.9)) / root;
        }
        self.batch += 1;
        if self.batch as usize * BATCH == ROWS {
            (self.epoch, self.batch) = (self.epoch + 1, 0);
        }
        loss as f32
    }

    fn save(&mut self) -> Vec<u8> {
        if self.fault == DISTURBS {
            self.random.uniform();
        }
        let digits = self.fault == DIGITS;
        let mut saved = Vec::new();
        for number in self.numbers() {
            let written = match digits {
                true => (*number * 1e4).round() / 1e4,
                false => *number,
            };
            saved.extend(written.to_le_bytes());
        }
        let [seed, count] = self.random.state();
        for number in [self.steps, self.epoch, self.batch, seed, count] {
            saved.extend(number.to_le_bytes());
        }
        if self.fault != ONCE {
            return saved;
        }
        self.first.get_or_insert(saved).clone()
    }

    fn resume(&mut self, saved: &[u8]) {
        let fault = self.fault;
        let (words, _) = saved.as_chunks::<8>();
        for (at, number) in self.numbers().into_iter().enumerate() {
            if !(fault == MOMENTS && at >= 3) {
                *number = f64::from_le_bytes(words[at]);
            }
        }
        let word = |at: usize| u64::from_le_bytes(words[9 + at]);
        if fault != STEPS {
            self.steps = word(0);
        }
        if fault != EPOCH {
            self.epoch = word(1);
        }
        if fault != PLACE {
            self.batch = word(2);
        }
        if fault != RANDOM {
            self.random = Random::at([word(3), word(4)]);
        }
    }
}

/// Runs the learner's test on the run with this bug.
fn verdict(fault: usize) -> bool {
    yours::accepts(&|| Box::new(Planted::new(fault)))
}

fn accepted() -> Outcome {
    match verdict(0) {
        true => Ok(()),
        false => Err(wrong(
            "Your test rejects a run that resumes with the same bits. Which \
             losses do you compare?",
        )),
    }
}

/// Returns whether the learner's test accepts the run with this bug.
fn is_accepted(fault: usize) -> bool {
    verdict(fault)
}
