//! Checks `ties`, the gradients at a kink.
//!
//! Finite differences are meaningless at a kink, so the expected values are
//! written here.

use std::process::ExitCode;

use exercises::{Outcome, again, check, drawn, either, expect, numbers, wrong};

exercises::yours!("part1_cpu/ties.rs");

fn main() -> ExitCode {
    check(
        "ties",
        YOURS,
        &[
            ("relu passes on the gradient of positive elements", relu),
            ("relu's gradient at 0", zero),
            (
                either(
                    "max passes its gradient to the largest element",
                    "min passes its gradient to the smallest element",
                ),
                max,
            ),
            (
                either(
                    "equal maxima share the gradient",
                    "equal minima share the gradient",
                ),
                shared,
            ),
            (
                "relu passes nothing on for negative elements, not even infinity",
                endless,
            ),
        ],
    )
}

fn relu(_: &()) -> Outcome {
    let (x, grad_out) = (numbers(1, 9), numbers(2, 9));
    let pairs = x.iter().zip(&grad_out);
    let right: Vec<f32> =
        pairs.map(|(x, g)| if *x > 0.0 { *g } else { 0.0 }).collect();
    expect("relu's gradient", &yours::relu_rule(&x, &grad_out), &right)
}

/// Both zeros: -0 is equal to 0. A variant uses a different derivative there.
fn zero(_: &()) -> Outcome {
    let derivative = drawn("derivative").unwrap_or(0.0);
    let grad_out = [1.5, 2.5];
    let right = grad_out.map(|it| derivative * it);
    let found = yours::relu_rule(&[0.0, -0.0], &grad_out);
    if found == right {
        return Ok(());
    }
    let why = match found == grad_out {
        true => " Does it treat 0 as positive?",
        false => "",
    };
    Err(wrong(format!(
        "At x = 0 relu has no derivative, and the engine uses {derivative}. \
         For x = [0, -0] and grad_out = {grad_out:?} your rule returns \
         {found:?}; it should return {right:?}.{why}"
    )))
}

fn max(_: &()) -> Outcome {
    let x = [1.0, -4.0, 3.5, 2.0, 0.5];
    largest(&x, -2.5, &[0.0, 0.0, -2.5, 0.0, 0.0])?;
    // All of them may be negative.
    let x = [-3.0, -1.5, -2.0];
    largest(&x, 0.75, &[0.0, 0.75, 0.0])
}

fn shared(_: &()) -> Outcome {
    let x = [3.0, 3.0, 1.0];
    largest(&x, 5.0, &[2.5, 2.5, 0.0])?;
    let x = [0.0, 2.0, 2.0, -1.0, 2.0];
    let third = 1.5;
    let right = [0.0, third, third, 0.0, third];
    largest(&x, 4.5, &right)
}

/// A variant asks for the smallest element, and gets the negative values.
fn largest(x: &[f32], grad_out: f32, right: &[f32]) -> Outcome {
    let x: Vec<f32> = x.iter().map(|x| x * either(1.0, -1.0)).collect();
    let yours = yours::max_rule(&x, grad_out);
    if again() {
        return expect(&format!("min's gradient for {x:?}"), &yours, right);
    }
    // Each diagnosis applies only if its formula gives exactly these values.
    let share = right.iter().copied().find(|r| *r != 0.0).unwrap_or(1.0);
    let is = |formula: &dyn Fn(f32) -> f32| {
        let pairs = yours.iter().zip(right);
        yours.len() == right.len()
            && pairs.into_iter().all(|(y, r)| (y - formula(*r)).abs() < 1e-5)
    };
    let given = |to: &f32| *to != 0.0;
    let tie = right.iter().filter(|it| given(it)).count() > 1;
    let takers: Vec<&f32> = yours.iter().filter(|it| given(it)).collect();
    let why = if is(&|r| r) {
        return Ok(());
    } else if is(&|r| r / grad_out) {
        "grad_out is missing: your gradients add up to 1, whatever grad_out \
         is."
    } else if tie && is(&|r| r / share * grad_out) {
        "The sum of your gradients is larger than grad_out: equal maxima must \
         share grad_out, instead of each getting all of it."
    } else if tie && takers == [&grad_out] {
        "One of several equal maxima got all of grad_out: divide it equally, \
         so that the order of the elements does not matter."
    } else {
        return expect(&format!("max's gradient for {x:?}"), &yours, right);
    };
    Err(wrong(format!(
        "The gradient of max for x = {x:?} is wrong.\n\n  grad_out  \
         {grad_out}\n  yours     {yours:?}\n  right     {right:?}\n\n{why}"
    )))
}

/// Multiplying an infinity by a derivative of 0 gives NaN.
fn endless(_: &()) -> Outcome {
    let grad_out = [f32::INFINITY, -1.5, f32::NEG_INFINITY];
    let found = yours::relu_rule(&[-1.0, 2.0, -3.0], &grad_out);
    match found[..] {
        [0.0, -1.5, 0.0] => Ok(()),
        [a, -1.5, b] if a.is_nan() && b.is_nan() => Err(wrong(format!(
            "For x = [-1, 2, -3] and grad_out = {grad_out:?} your rule \
             returns {found:?}: 0 times infinity is NaN. Select instead of \
             multiplying: where x is negative the gradient is 0, whatever \
             grad_out is."
        ))),
        _ => expect("relu's gradient", &found, &[0.0, -1.5, 0.0]),
    }
}
