//! Tests that the laws have no false positives: correct rules of several
//! kinds, which round differently, all pass.

use rungrad::reference::Array;

use testkit::calls::Call;
use testkit::cases::Case;
use testkit::random::{Random, cases, first_seed};
use testkit::verdict::gradient;

/// A backward rule: from a row of scores and the upstream gradient to the
/// gradient of the scores.
type Rule = fn(&[f32], &[f32]) -> Vec<f32>;

fn largest(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Log-softmax of a row, with `less` subtracted first.
fn log_softmax(row: &[f32], less: f32) -> Vec<f32> {
    let total: f32 = row.iter().map(|x| (x - less).exp()).sum();
    row.iter().map(|x| x - less - total.ln()).collect()
}

/// The same function, summed from the other end and with the logarithm taken
/// first.
fn log_softmax_reversed(row: &[f32], less: f32) -> Vec<f32> {
    let total: f32 = row.iter().rev().map(|x| (x - less).exp()).sum();
    let level = less + total.ln();
    row.iter().map(|x| x - level).collect()
}

fn softmax(row: &[f32], less: f32) -> Vec<f32> {
    let parts: Vec<f32> = row.iter().map(|x| (x - less).exp()).collect();
    let total: f32 = parts.iter().rev().sum();
    parts.iter().map(|part| part / total).collect()
}

/// The backward rule of log-softmax: `grad_out - softmax * sum(grad_out)`.
fn log_softmax_grad(shares: &[f32], grads: &[f32]) -> Vec<f32> {
    let total: f32 = grads.iter().sum();
    grads.iter().zip(shares).map(|(g, share)| g - share * total).collect()
}

fn softmax_grad(shares: &[f32], grads: &[f32]) -> Vec<f32> {
    let met: f32 = shares.iter().zip(grads).rev().map(|(s, g)| s * g).sum();
    shares.iter().zip(grads).map(|(s, g)| s * (g - met)).collect()
}

fn exp(logs: &[f32]) -> Vec<f32> {
    logs.iter().map(|x| x.exp()).collect()
}

/// The backward rule of softmax, composed from exp and log-softmax.
fn softmax_grad_by_log(logs: &[f32], grads: &[f32]) -> Vec<f32> {
    let shares = exp(logs);
    let grads: Vec<f32> =
        grads.iter().zip(&shares).map(|(g, share)| g * share).collect();
    log_softmax_grad(&shares, &grads)
}

const LOG_SOFTMAX: &[Rule] = &[
    |row, grads| log_softmax_grad(&exp(&log_softmax(row, largest(row))), grads),
    |row, grads| log_softmax_grad(&exp(&log_softmax(row, 0.0)), grads),
    |row, grads| log_softmax_grad(&exp(&log_softmax_reversed(row, 0.0)), grads),
    |row, grads| {
        log_softmax_grad(&exp(&log_softmax_reversed(row, row[0])), grads)
    },
    |row, grads| log_softmax_grad(&softmax(row, largest(row)), grads),
    |row, grads| log_softmax_grad(&softmax(row, 0.0), grads),
    // Composed: through the sum of the exponentials.
    |row, grads| {
        let total: f32 = row.iter().map(|x| x.exp()).sum();
        let sum = -grads.iter().sum::<f32>() / total;
        row.iter().zip(grads).map(|(x, g)| g + sum * x.exp()).collect()
    },
];

const SOFTMAX: &[Rule] = &[
    |row, grads| softmax_grad(&softmax(row, largest(row)), grads),
    |row, grads| softmax_grad(&softmax(row, 0.0), grads),
    |row, grads| softmax_grad_by_log(&log_softmax(row, largest(row)), grads),
    |row, grads| softmax_grad_by_log(&log_softmax_reversed(row, 0.0), grads),
    // Composed: a division by a sum that is broadcast.
    |row, grads| {
        let parts: Vec<f32> = row.iter().map(|x| x.exp()).collect();
        let total: f32 = parts.iter().sum();
        let pairs = parts.iter().zip(grads);
        let met: f32 = pairs.map(|(p, g)| -g * p / (total * total)).sum();
        let pairs = parts.iter().zip(grads);
        pairs.map(|(p, g)| (g / total + met) * p).collect()
    },
];

/// Runs correct rules on seeded rows, including single columns and rows of
/// equal scores, and returns the false positives.
fn false_positives(
    name: &str,
    rules: &[Rule],
    grads: impl Fn(&Case, &mut Random) -> [Vec<f32>; 2],
) -> Vec<String> {
    let mut false_positives = Vec::new();
    let first = first_seed();
    for seed in first..first + cases(4000) {
        let mut random = Random(seed);
        let case = random.case(name);
        let operands = case.arrays();
        let shape = &operands[0].shape;
        let columns = shape.last().map_or(1, |&n| n.max(1));
        let [upstream, row_grads] = grads(&case, &mut random);
        let right = case.call.judge(&operands);
        let upstream = Array::new(&right.shape, &upstream);
        for (at, rule) in rules.iter().enumerate() {
            let rows = case.operands[0].1.chunks(columns);
            let rows = rows.zip(row_grads.chunks(columns));
            let yours: Vec<f32> =
                rows.flat_map(|(row, grads)| rule(row, grads)).collect();
            let yours = Array::new(shape, &yours);
            let wrong = gradient(&case, &operands, 0, &upstream, &yours);
            if let Some(mismatch) = wrong {
                let what = case.what();
                false_positives
                    .push(format!("seed {seed}, {at}, {what}\n{mismatch}"));
            }
        }
    }
    false_positives
}

#[track_caller]
fn assert_none(false_positives: &[String]) {
    assert!(
        false_positives.is_empty(),
        "{} correct rules fail, the first: {}",
        false_positives.len(),
        false_positives[0]
    );
}

fn as_drawn(case: &Case, random: &mut Random) -> [Vec<f32>; 2] {
    let grads = random.values(case.operands[0].1.len());
    [grads.clone(), grads]
}

#[test]
fn correct_log_softmax_rules_pass() {
    assert_none(&false_positives("log_softmax", LOG_SOFTMAX, as_drawn));
}

#[test]
fn correct_softmax_rules_pass() {
    assert_none(&false_positives("softmax", SOFTMAX, as_drawn));
}

#[test]
fn correct_cross_entropy_rules_pass() {
    let of_labels = |case: &Case, random: &mut Random| {
        let Call::CrossEntropy(labels) = &case.call else { unreachable!() };
        let (rows, classes) =
            (labels.len(), case.operands[0].0.last().copied().unwrap_or(1));
        let grad = random.value();
        let mut grads = vec![0.0; rows * classes];
        for (row, label) in labels.iter().enumerate() {
            grads[row * classes + label] = -grad / rows as f32;
        }
        [vec![grad], grads]
    };
    assert_none(&false_positives("cross_entropy", LOG_SOFTMAX, of_labels));
}

/// The gradient of a broadcast scalar is a long sum whose terms may cancel, so
/// its rounding error depends on the order of the additions.
#[test]
fn any_order_of_summation_passes() {
    let orders: [fn(&[f32]) -> f32; 3] = [
        |terms| terms.iter().sum(),
        |terms| terms.iter().rev().sum(),
        |terms| {
            let half = |parity: usize| terms.iter().skip(parity).step_by(2);
            half(0).sum::<f32>() + half(1).sum::<f32>()
        },
    ];
    let first = first_seed();
    for seed in first..first + cases(4000) {
        let mut random = Random(seed);
        let shape = random.shape();
        let n = shape.iter().product();
        let (a, grads) = (random.values(n), random.values(n));
        let operands = vec![(shape, a.clone()), (vec![], random.values(1))];
        let case = Case { call: Call::Mul, operands };
        let operands = case.arrays();
        let upstream = Array::new(&operands[0].shape, &grads);
        let terms: Vec<f32> =
            a.iter().zip(&grads).map(|(a, g)| a * g).collect();
        for order in orders {
            let yours = Array::new(&[], &[order(&terms)]);
            let wrong = gradient(&case, &operands, 1, &upstream, &yours);
            if let Some(mismatch) = wrong {
                panic!("seed {seed}: {}\n{mismatch}", case.what());
            }
        }
    }
}
