//! A model of the time of a training step on any number of ranks.
//!
//! An all-reduce of `b` bytes on `n` ranks has `2 (n - 1)` messages after each
//! other, each with `b / n` bytes. If a message takes the latency `l` and its
//! bytes divided by the bandwidth `w`, the all-reduce takes
//!
//! ```text
//! 2 (n - 1) l + 2 (n - 1) / n * b / w
//! ```
//!
//! [`fit`] finds `l` and `w` from measured times, and [`Step::simulate`] runs a
//! step on a simulated network with these costs. The model knows neither the
//! topology of a network nor ranks that are slower than others.

use super::Collective;
use super::local::{Cost, Network};

/// A measured all-reduce.
#[derive(Clone, Copy, Debug)]
pub struct Measurement {
    /// The number of ranks, from 2.
    pub ranks: usize,
    /// The bytes of the values of one rank.
    pub bytes: f64,
    /// The time of the all-reduce.
    pub seconds: f64,
}

impl Measurement {
    /// Returns the latencies and the bandwidth times that the all-reduce takes.
    fn terms(&self) -> [f64; 2] {
        let messages = 2.0 * (self.ranks as f64 - 1.0);
        [messages, messages / self.ranks as f64 * self.bytes]
    }

    /// Returns the time that the model predicts for this all-reduce.
    pub fn predicted(&self, cost: Cost) -> f64 {
        let [messages, bytes] = self.terms();
        messages * cost.latency + bytes / cost.bandwidth
    }
}

/// Returns the latency and the bandwidth with the smallest sum of squared
/// relative errors. Neither of them becomes negative.
///
/// # Panics
///
/// If there are fewer than two measurements, or all of them have the same
/// number of ranks and bytes.
#[track_caller]
pub fn fit(measurements: &[Measurement]) -> Cost {
    // Divided by the measured time, each prediction should be 1. This is a
    // linear problem in the latency and in the time of a byte.
    let (mut squares, mut products, mut sums) = ([0.0; 2], 0.0, [0.0; 2]);
    for measurement in measurements {
        let terms = measurement.terms().map(|it| it / measurement.seconds);
        for k in 0..2 {
            squares[k] += terms[k] * terms[k];
            sums[k] += terms[k];
        }
        products += terms[0] * terms[1];
    }
    let determinant = squares[0] * squares[1] - products * products;
    assert!(
        determinant > 1e-9 * squares[0] * squares[1],
        "fit: a latency and a bandwidth cannot be told apart; measure \
         all-reduces of at least two sizes"
    );
    let solve = |k: usize| {
        let other = 1 - k;
        (sums[k] * squares[other] - products * sums[other]) / determinant
    };
    let (latency, byte) = match (solve(0), solve(1)) {
        (latency, byte) if latency < 0.0 && byte > 0.0 => {
            (0.0, sums[1] / squares[1])
        }
        (latency, byte) if byte <= 0.0 => (latency.max(0.0), 0.0),
        both => both,
    };
    Cost { latency, bandwidth: 1.0 / byte }
}

/// A training step of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The time of the forward pass.
    pub forward: f64,
    /// The time of the backward pass.
    pub backward: f64,
    /// The number of buckets, whose gradients become complete at equal
    /// intervals of the backward pass.
    pub buckets: usize,
    /// The bytes of all gradients.
    pub bytes: f64,
}

impl Step {
    /// Predicts the time of a step in which the reductions overlap the backward
    /// pass, on a network of this many ranks.
    pub fn simulate(self, ranks: usize, cost: Cost) -> f64 {
        // The bytes of a message are divided by `scale`, and so is the
        // bandwidth, so that each message has one element.
        let scale = self.bytes / self.buckets as f64 / (4 * ranks) as f64;
        let bandwidth = cost.bandwidth / scale;
        let cost = Cost { bandwidth, ..cost };
        let network = Network::new(ranks).with_cost(move |_, _| cost);
        let run = |it: Collective| {
            it.compute(self.forward);
            let start = |_| {
                it.compute(self.backward / self.buckets as f64);
                it.all_reduce(vec![0.0; ranks])
            };
            let pending: Vec<_> = (0..self.buckets).map(start).collect();
            for pending in pending {
                pending.wait().expect("no rank ends early");
            }
            it.time()
        };
        network.run(run).into_iter().fold(0.0, f64::max)
    }
}
