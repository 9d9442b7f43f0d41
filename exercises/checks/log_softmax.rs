//! Checks `log_softmax`, its values and its gradient.

use std::process::ExitCode;

use exercises::{Outcome, check, drawn, expect, judge, numbers, wrong};
use ndarray::{ArrayD, IxDyn};
use rungrad::gradcheck::dot;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::{Array, log_softmax};

exercises::yours!("part1_cpu/log_softmax.rs");

fn main() -> ExitCode {
    check(
        "log_softmax",
        YOURS,
        &[
            ("a row of five small scores", small),
            ("scores of 1000 do not overflow", large),
            ("a score far below the others", far),
            ("scores of -1000 do not lead to a division by 0", low),
            ("the rule, on two rows of four", gradients),
        ],
    )
}

/// Returns the expected values. A variant divides the scores by a temperature.
fn right(row: &[f32]) -> Vec<f32> {
    let temperature = drawn("temperature").unwrap_or(1.0);
    let row: Vec<f32> = row.iter().map(|x| x / temperature).collect();
    let right = log_softmax(&Array::new(&[row.len()], &row));
    right.values.iter().map(|x| *x as f32).collect()
}

fn small(_: &()) -> Outcome {
    let row = numbers(1, 5);
    expect("log_softmax(row)", &yours::log_softmax(&row), &right(&row))
}

fn large(_: &()) -> Outcome {
    let row = [1000.0, 998.0, 1001.5];
    let found = yours::log_softmax(&row);
    let total: f32 = row.iter().map(|x| x.exp()).sum();
    if same(&found, row.map(|x| x - total.ln()))
        || same(&found, row.map(|x| (x.exp() / total).ln()))
    {
        return Err(wrong(format!(
            "For the scores {row:?} your function returns {found:?}: exp(1000) \
             overflows. Subtract the largest score of the row from all of them \
             first."
        )));
    }
    expect("log_softmax(row)", &found, &right(&row))
}

fn far(_: &()) -> Outcome {
    let row = [0.0, -200.0];
    let found = yours::log_softmax(&row);
    if same(&found, [0.0, f32::NEG_INFINITY]) {
        return Err(wrong(format!(
            "For the scores {row:?} your function returns {found:?}. The \
             probability of the second is so small that it becomes 0, and the \
             logarithm of 0 is minus infinity: subtract logarithms instead of \
             dividing."
        )));
    }
    expect("log_softmax(row)", &found, &right(&row))
}

/// A search for the maximum that begins at 0 never finds a negative one.
fn low(_: &()) -> Outcome {
    let row = [-1000.0, -999.0, -1001.5];
    let found = yours::log_softmax(&row);
    if same(&found, [f32::INFINITY; 3]) {
        return Err(wrong(format!(
            "For the scores {row:?} your function returns {found:?}: each exp \
             is 0, and so is their sum. The largest of these scores is -999: \
             begin the search with f32::NEG_INFINITY, not with 0."
        )));
    }
    expect("log_softmax(row)", &found, &right(&row))
}

/// Returns whether a wrong formula gives exactly these values; NaN matches
/// NaN.
fn same<const N: usize>(found: &[f32], formula: [f32; N]) -> bool {
    let pairs = found.iter().zip(&formula);
    let same = |(x, y): (&f32, &f32)| x == y || x.is_nan() && y.is_nan();
    found.len() == N && pairs.into_iter().all(same)
}

/// The loss is `sum(log_softmax(x) * w)`; no row of `w` adds up to 1 or to 0.
fn gradients(_: &()) -> Outcome {
    if let Some(temperature) = drawn("temperature") {
        let (y, grad_out) = (right(&numbers(2, 4)), numbers(3, 4));
        let total: f32 = grad_out.iter().sum();
        let pairs = y.iter().zip(&grad_out);
        let grads = pairs.map(|(y, g)| (g - y.exp() * total) / temperature);
        let found = yours::log_softmax_rule(&y, &grad_out);
        let what = "log_softmax_rule(y, grad_out)";
        return expect(what, &found, &grads.collect::<Vec<_>>());
    }
    let shape = [2, 4];
    let x = Tensor::new(&shape, &numbers(2, 8));
    let w = Tensor::new(&shape, &numbers(3, 8));
    let array = move |rows: Vec<Vec<f32>>| {
        ArrayD::from_shape_vec(IxDyn(&shape), rows.concat())
    };
    let rows = x.to_vec();
    let y: Vec<Vec<f32>> = rows.chunks(4).map(yours::log_softmax).collect();
    let value = array(y.clone()).expect("four in each row");
    let out = Tensor::from_op("log_softmax", &[&x], value, move |grad_out| {
        let grad_out: Vec<f32> = grad_out.iter().copied().collect();
        let pairs = y.iter().zip(grad_out.chunks(4));
        let rows = pairs.map(|(y, g)| yours::log_softmax_rule(y, g)).collect();
        let grad = array(rows);
        vec![grad.expect("a gradient has one element for each score")]
    });
    let mut tape = out.mul(&w).sum().backward_recorded();
    tape.set_name(x.id(), "x");
    tape.set_name(w.id(), "w");
    judge("sum(log_softmax(x) * w)", &tape, &["x", "w"], |leaves| {
        dot(&log_softmax(&leaves[0]), &leaves[1])
    })
}
