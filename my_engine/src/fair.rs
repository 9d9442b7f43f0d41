//! Whether the laws are fair: right engines of many kinds, each with roundings
//! of its own, are accused by none.

use rungrad::reference::Array;

use testkit::calls::Call;
use testkit::cases::Case;
use testkit::random::{Random, cases, first_seed};
use testkit::verdict::gradient;

/// A row of scores, and the gradient of what a function has made of it.
type Rule = fn(&[f32], &[f32]) -> Vec<f32>;

fn largest(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// The logarithms of the shares, with this number taken away before.
fn logs(row: &[f32], less: f32) -> Vec<f32> {
    let total: f32 = row.iter().map(|x| (x - less).exp()).sum();
    row.iter().map(|x| x - less - total.ln()).collect()
}

/// The same, with the sum from the other end and the logarithm taken first.
fn logs_from_the_end(row: &[f32], less: f32) -> Vec<f32> {
    let total: f32 = row.iter().rev().map(|x| (x - less).exp()).sum();
    let level = less + total.ln();
    row.iter().map(|x| x - level).collect()
}

fn shares(row: &[f32], less: f32) -> Vec<f32> {
    let parts: Vec<f32> = row.iter().map(|x| (x - less).exp()).collect();
    let total: f32 = parts.iter().rev().sum();
    parts.iter().map(|part| part / total).collect()
}

/// `grad_out`, less the share times the sum of `grad_out` over the row.
fn of_logs(shares: &[f32], grads: &[f32]) -> Vec<f32> {
    let total: f32 = grads.iter().sum();
    grads.iter().zip(shares).map(|(g, share)| g - share * total).collect()
}

fn of_shares(shares: &[f32], grads: &[f32]) -> Vec<f32> {
    let met: f32 = shares.iter().zip(grads).rev().map(|(s, g)| s * g).sum();
    shares.iter().zip(grads).map(|(s, g)| s * (g - met)).collect()
}

fn exp(logs: &[f32]) -> Vec<f32> {
    logs.iter().map(|x| x.exp()).collect()
}

/// A gradient through the exponential of the logarithms of the shares.
fn of_exp_of_logs(logs: &[f32], grads: &[f32]) -> Vec<f32> {
    let shares = exp(logs);
    let grads: Vec<f32> =
        grads.iter().zip(&shares).map(|(g, share)| g * share).collect();
    of_logs(&shares, &grads)
}

const LOG_SOFTMAX: &[Rule] = &[
    |row, grads| of_logs(&exp(&logs(row, largest(row))), grads),
    |row, grads| of_logs(&exp(&logs(row, 0.0)), grads),
    |row, grads| of_logs(&exp(&logs_from_the_end(row, 0.0)), grads),
    |row, grads| of_logs(&exp(&logs_from_the_end(row, row[0])), grads),
    |row, grads| of_logs(&shares(row, largest(row)), grads),
    |row, grads| of_logs(&shares(row, 0.0), grads),
    // As a composition: through the sum of the exponentials.
    |row, grads| {
        let total: f32 = row.iter().map(|x| x.exp()).sum();
        let sum = -grads.iter().sum::<f32>() / total;
        row.iter().zip(grads).map(|(x, g)| g + sum * x.exp()).collect()
    },
];

const SOFTMAX: &[Rule] = &[
    |row, grads| of_shares(&shares(row, largest(row)), grads),
    |row, grads| of_shares(&shares(row, 0.0), grads),
    |row, grads| of_exp_of_logs(&logs(row, largest(row)), grads),
    |row, grads| of_exp_of_logs(&logs_from_the_end(row, 0.0), grads),
    // As a composition: a quotient, and a sum that is stretched.
    |row, grads| {
        let parts: Vec<f32> = row.iter().map(|x| x.exp()).collect();
        let total: f32 = parts.iter().sum();
        let pairs = parts.iter().zip(grads);
        let met: f32 = pairs.map(|(p, g)| -g * p / (total * total)).sum();
        let pairs = parts.iter().zip(grads);
        pairs.map(|(p, g)| (g / total + met) * p).collect()
    },
];

/// Tries right rules on seeded rows, a column alone and rows of equal scores
/// among them, and says which the law accuses.
fn accused(
    name: &str,
    rules: &[Rule],
    grads: impl Fn(&Case, &mut Random) -> [Vec<f32>; 2],
) -> Vec<String> {
    let mut accused = Vec::new();
    let first = first_seed();
    for seed in first..first + cases(4000) {
        let mut random = Random(seed);
        let case = random.case(name);
        let operands = case.arrays();
        let shape = &operands[0].shape;
        let columns = shape.last().map_or(1, |&n| n.max(1));
        let [upstream, of_logs] = grads(&case, &mut random);
        let right = case.call.judge(&operands);
        let upstream = Array::new(&right.shape, &upstream);
        for (at, rule) in rules.iter().enumerate() {
            let rows = case.operands[0].1.chunks(columns);
            let rows = rows.zip(of_logs.chunks(columns));
            let yours: Vec<f32> =
                rows.flat_map(|(row, grads)| rule(row, grads)).collect();
            let yours = Array::new(shape, &yours);
            let wrong = gradient(&case, &operands, 0, &upstream, &yours);
            if let Some(mismatch) = wrong {
                let what = case.what();
                accused.push(format!("seed {seed}, {at}, {what}\n{mismatch}"));
            }
        }
    }
    accused
}

#[track_caller]
fn nobody(accused: &[String]) {
    assert!(
        accused.is_empty(),
        "{} right rules are accused, the first: {}",
        accused.len(),
        accused[0]
    );
}

fn as_drawn(case: &Case, random: &mut Random) -> [Vec<f32>; 2] {
    let grads = random.values(case.operands[0].1.len());
    [grads.clone(), grads]
}

#[test]
fn no_right_log_softmax_is_accused() {
    nobody(&accused("log_softmax", LOG_SOFTMAX, as_drawn));
}

#[test]
fn no_right_softmax_is_accused() {
    nobody(&accused("softmax", SOFTMAX, as_drawn));
}

#[test]
fn no_right_cross_entropy_is_accused() {
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
    nobody(&accused("cross_entropy", LOG_SOFTMAX, of_labels));
}

/// The gradient of one number that meets many is a long sum, whose terms may
/// cancel: whoever adds them in another order rounds otherwise.
#[test]
fn no_order_of_a_sum_is_accused() {
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
