//! Checks `first_wrong`, a gradient check.
//!
//! Each function has a particular difficulty: strong curvature, a value of a
//! billion, a tiny derivative, or two inputs that depend on each other.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

exercises::yours!("part1_cpu/first_wrong.rs");

fn main() -> ExitCode {
    check(
        "first_wrong",
        YOURS,
        &[
            ("a right claim passes, each wrong one is named", plain),
            ("a curve that bends", bends),
            ("an input so large that a small nudge is lost", billion),
            ("derivatives that are tiny", tiny),
            ("a claim that is NaN", nan),
            ("one input is nudged at a time", alone),
            ("no inputs", nothing),
        ],
    )
}

type Function = dyn Fn(&[f64]) -> f64;

/// Calls the learner's checker with correct derivatives, and with each of them
/// made wrong in turn.
fn judged(
    name: &str,
    f: &Function,
    x: &[f64],
    right: &[f64],
    accused: &str,
    missed: &str,
) -> Outcome {
    // Rounded to `f32`, as an engine would compute them.
    let claimed: Vec<f64> =
        right.iter().map(|s| f64::from(*s as f32)).collect();
    let shown =
        format!("  f      {name}\n  x      {x:?}\n  claims {claimed:?}");
    if let Some(i) = yours::first_wrong(f, x, &claimed) {
        return Err(wrong(format!(
            "Your function reports claim {i} as wrong, but it is right. \
             {accused}\n\n{shown}"
        )));
    }
    let most = right.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
    for at in 0..right.len() {
        for fault in [-1.0, -0.002, 0.002, 1.0] {
            let mut planted = claimed.clone();
            planted[at] += fault * most;
            let found = yours::first_wrong(f, x, &planted);
            if found != Some(at) {
                let says = match found {
                    None => "accepts it".to_string(),
                    Some(i) => format!("names claim {i}"),
                };
                return Err(wrong(format!(
                    "Claim {at} is off by {} times the largest derivative, but \
                     your function {says}. {missed}\n\n  f      {name}\n  \
                     x      {x:?}\n  claims {planted:?}",
                    fault.abs()
                )));
            }
        }
    }
    Ok(())
}

fn plain(_: &()) -> Outcome {
    let f = |x: &[f64]| x[0] * x[1] * x[1];
    judged("x0 * x1 * x1", &f, &[2.0, 3.0], &[9.0, 12.0], "", "")
}

/// Here a one-sided difference is off by a thousandth, a central one by a
/// millionth.
fn bends(_: &()) -> Outcome {
    let f = |x: &[f64]| (400.0 * x[0]).exp();
    let x = [-0.015_f64];
    let slope = 400.0 * (400.0 * x[0]).exp();
    judged(
        "exp(400 * x0)",
        &f,
        &x,
        &[slope],
        "This curve bends so much that a one-sided difference is off by 0.002. \
         A central difference is not.",
        "",
    )
}

fn billion(_: &()) -> Outcome {
    let f = |x: &[f64]| 3.0 * x[0];
    judged(
        "3 * x0",
        &f,
        &[3e10],
        &[3.0],
        "Near 30 billion, f64 values are 4e-6 apart, so a nudge of 1e-5 is not \
         exactly 1e-5. Make the nudge proportional to the input.",
        "",
    )
}

fn tiny(_: &()) -> Outcome {
    let f = |x: &[f64]| 1e-6 * x[0] * x[1];
    judged(
        "1e-6 * x0 * x1",
        &f,
        &[2.0, 3.0],
        &[3e-6, 2e-6],
        "",
        "These derivatives are a few millionths, so even a small error is \
         large in comparison. Make the tolerance proportional to the largest \
         derivative.",
    )
}

fn nan(_: &()) -> Outcome {
    let f = |x: &[f64]| x[0] * x[1];
    match yours::first_wrong(&f, &[2.0, 3.0], &[3.0, f64::NAN]) {
        Some(1) => Ok(()),
        found => Err(wrong(format!(
            "Claim 1 is NaN, but your function returns {found:?}. Every \
             comparison with a NaN is false: test whether a claim is close, \
             not whether it is too far off."
        ))),
    }
}

/// If an input is still nudged while the next one is measured, the derivative
/// is taken at the wrong point.
fn alone(_: &()) -> Outcome {
    let f = |x: &[f64]| (400.0 * x[0]).exp() * x[1];
    put_back(&f, &[-0.005, 50.0], &[2706.7, 0.135])
}

/// Checks the points at which the learner's checker evaluates `f`.
fn put_back(f: &Function, x: &[f64], claimed: &[f64]) -> Outcome {
    let moved = std::cell::Cell::new(0);
    let watched = |y: &[f64]| {
        let differ = y.iter().zip(x).filter(|(y, x)| y != x).count();
        moved.set(moved.get().max(differ));
        f(y)
    };
    let _ = yours::first_wrong(&watched, x, claimed);
    match moved.get() {
        0 | 1 => Ok(()),
        many => Err(wrong(format!(
            "Your function called f with {many} elements that differ from x. A \
             partial derivative changes one element: reset the others."
        ))),
    }
}

fn nothing(_: &()) -> Outcome {
    match yours::first_wrong(&|_| 1.0, &[], &[]) {
        None => Ok(()),
        found => Err(wrong(format!(
            "Without inputs no claim can be wrong, but your function returns \
             {found:?} instead of None."
        ))),
    }
}
