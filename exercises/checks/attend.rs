//! Checks `attend`, one attention head.
//!
//! The expected values and those of known mistakes are computed in `f64`. A
//! mistake is named if it reproduces every one of the learner's values.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, without, wrong};
use rungrad::part3_unified::{Device, Tensor};

exercises::yours!("part3_unified/attend.rs");

fn main() -> ExitCode {
    check(
        "attend",
        YOURS,
        &[
            ("you wrote the code yourself", written),
            ("four positions attend to each other", four),
            ("two queries after three earlier positions", kept),
            ("one query, and all the keys", one),
            ("scores of thousands do not overflow", large),
            ("all three operands get a gradient", gradients),
        ],
    )
}

fn written(_: &()) -> Outcome {
    without(
        YOURS,
        &["causal_attention", "self_attention"],
        "that is the engine's own attention. Use matrix multiplications and a \
         softmax.",
    )
}

/// A known mistake, or none.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    NotScaled,
    ByWidth,
    NotMasked,
    Strict,
    FirstPlaces,
    AfterSoftmax,
    Columns,
}

const FAULTS: [(Fault, &str); 7] = [
    (
        Fault::NotScaled,
        "These are the weights of scores that were not divided.",
    ),
    (
        Fault::ByWidth,
        "Your scores are divided by the width. Divide by its square root.",
    ),
    (Fault::NotMasked, "Your queries attend to later positions."),
    (
        Fault::Strict,
        "Your queries attend to earlier positions, but not to their own.",
    ),
    (
        Fault::FirstPlaces,
        "You have treated the queries as those of the first positions. They \
         belong to the last ones, and see earlier positions.",
    ),
    (
        Fault::AfterSoftmax,
        "The masked positions were still in the sum of the softmax, so the \
         weights of a row do not add up to 1: mask before the softmax.",
    ),
    (
        Fault::Columns,
        "Your weights add up to 1 over each column. They must add up to 1 over \
         each row, for each query.",
    ),
];

/// A matrix in row-major order.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, seed: u64) -> Matrix {
        let values = exercises::numbers(seed, rows * columns);
        Matrix { rows, columns, values }
    }

    fn tensor(&self) -> Result<Tensor, Stop> {
        let shape = [self.rows, self.columns];
        Ok(Tensor::new(&shape, &self.values, Device::Cpu)?)
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column].into()
    }
}

/// The attention weights, (rows, places).
fn shares(queries: &Matrix, keys: &Matrix, fault: Fault) -> Vec<f64> {
    let (rows, places, width) = (queries.rows, keys.rows, queries.columns);
    let divisor = match fault {
        Fault::NotScaled => 1.0,
        Fault::ByWidth => width as f64,
        _ => (width as f64).sqrt(),
    };
    let sees = |i: usize, j: usize| match fault {
        Fault::NotMasked => true,
        Fault::Strict => j < i + places - rows,
        Fault::FirstPlaces => j <= i,
        _ => j <= i + places - rows,
    };
    let weight = |i: usize, j: usize| {
        let products = (0..width).map(|d| queries.at(i, d) * keys.at(j, d));
        (products.sum::<f64>() / divisor).exp()
    };
    let mut shares = Vec::new();
    for i in 0..rows {
        for j in 0..places {
            let counts = |i, j| fault == Fault::AfterSoftmax || sees(i, j);
            let total: f64 = match fault {
                Fault::Columns => (0..rows)
                    .filter(|&other| counts(other, j))
                    .map(|other| weight(other, j))
                    .sum(),
                _ => (0..places)
                    .filter(|&other| counts(i, other))
                    .map(|other| weight(i, other))
                    .sum(),
            };
            let share = if sees(i, j) { weight(i, j) / total } else { 0.0 };
            shares.push(share);
        }
    }
    shares
}

fn right(all: [&Matrix; 3], fault: Fault) -> Vec<f64> {
    let [queries, keys, values] = all;
    let shares = shares(queries, keys, fault);
    let cell = |at: usize| {
        let (i, e) = (at / values.columns, at % values.columns);
        let row = &shares[i * keys.rows..(i + 1) * keys.rows];
        row.iter().enumerate().map(|(j, p)| p * values.at(j, e)).sum()
    };
    (0..queries.rows * values.columns).map(cell).collect()
}

fn near(yours: &[f32], right: &[f64]) -> bool {
    let pairs = yours.iter().zip(right);
    yours.len() == right.len()
        && pairs.into_iter().all(|(y, r)| (f64::from(*y) - r).abs() < 1e-4)
}

/// Compares the results for random queries, keys and values.
fn judge(rows: usize, places: usize, width: usize, size: f32) -> Outcome {
    let mut queries = Matrix::new(rows, width, 1);
    queries.values.iter_mut().for_each(|x| *x *= size);
    let (keys, values) =
        (Matrix::new(places, width, 2), Matrix::new(places, 3, 3));
    let all = [&queries, &keys, &values];
    let tensors = [all[0].tensor()?, all[1].tensor()?, all[2].tensor()?];
    let seen = yours::attend(&tensors[0], &tensors[1], &tensors[2]);
    if seen.shape() != [rows, 3] {
        return Err(wrong(format!(
            "For {rows} queries and values of 3 elements the shape of the \
             output should be ({rows}, 3), but it is {:?}.",
            seen.shape()
        )));
    }
    let yours = seen.to_vec()?;
    let wanted = right(all, Fault::None);
    if near(&yours, &wanted) {
        return Ok(());
    }
    let mut fitting = FAULTS
        .iter()
        .filter(|(fault, _)| near(&yours, &right(all, *fault)))
        .map(|(_, words)| *words);
    // If two mistakes match, name neither.
    let why = match (fitting.next(), fitting.next()) {
        (Some(words), None) => words,
        _ if yours.iter().any(|x| !x.is_finite()) => {
            "The output contains a NaN or an infinity."
        }
        _ => "",
    };
    Err(wrong(format!(
        "{rows} queries, {places} keys of {width} elements: the output is \
         wrong. {why}\n\n  yours  {yours:.4?}\n  right  {wanted:.4?}"
    )))
}

fn four(_: &()) -> Outcome {
    judge(4, 4, 2, 0.5)?;
    judge(5, 5, 9, 0.3)
}

fn kept(_: &()) -> Outcome {
    judge(2, 5, 3, 0.5)
}

fn one(_: &()) -> Outcome {
    judge(1, 6, 4, 0.5)?;
    judge(1, 1, 1, 1.0)
}

fn large(_: &()) -> Outcome {
    let queries = Tensor::new(&[2, 1], &[2000.0, 3000.0], Device::Cpu)?;
    let keys = Tensor::new(&[2, 1], &[1.0, -1.0], Device::Cpu)?;
    let values = Tensor::new(&[2, 1], &[5.0, 7.0], Device::Cpu)?;
    let seen = yours::attend(&queries, &keys, &values).to_vec()?;
    match seen[..] {
        [a, b] if a == 5.0 && b == 5.0 => Ok(()),
        _ => Err(wrong(format!(
            "For queries of 2000 and 3000 and keys of 1 and -1, the outputs \
             should be 5 each, the value of the first key; yours are {seen:?}. \
             `softmax` subtracts the largest score first; exponentials of your \
             own do not."
        ))),
    }
}

fn gradients(_: &()) -> Outcome {
    let new = |seed| {
        let tensor = Matrix::new(3, 2, seed).tensor()?;
        Ok::<Tensor, Stop>((tensor * 0.3).detach().requires_grad())
    };
    let all = [new(1)?, new(2)?, new(3)?];
    let weights = Matrix::new(3, 2, 4).tensor()?;
    let slopes = |seen: Tensor| {
        all.iter().for_each(Tensor::zero_grad);
        (seen * &weights).sum().backward();
        all.iter().map(Tensor::grad).collect::<Vec<_>>()
    };
    let [queries, keys, values] = &all;
    let yours = slopes(yours::attend(queries, keys, values));
    let right = slopes(queries.causal_attention(keys, values));
    for (at, name) in ["queries", "keys", "values"].into_iter().enumerate() {
        let Some(grad) = &yours[at] else {
            return Err(wrong(format!(
                "The {name} got no gradient: the graph was cut somewhere."
            )));
        };
        let wanted = right[at].as_ref().expect("the engine's backward");
        let apart = grad.sub(wanted).abs().max().item()?;
        if apart.is_nan() || apart >= 1e-4 {
            return Err(wrong(format!(
                "The gradient of the {name} is off by up to {apart}, although \
                 the values are right: is each step an operation of the \
                 engine?"
            )));
        }
    }
    Ok(())
}
