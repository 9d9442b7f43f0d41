//! Checks `name_the_fault`, a diagnosis that must be right or `Unknown`.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

exercises::yours!("part1_cpu/name_the_fault.rs");

/// What may be wrong with a gradient.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// Nothing is wrong.
    Agrees,
    /// Every element has the wrong sign.
    Sign,
    /// Every element is 0.
    Zero,
    /// Rows and columns are swapped.
    Transposed,
    /// Every element is the right one times this factor.
    Factor(f64),
    /// No diagnosis matches, or several do.
    Unknown,
}

fn main() -> ExitCode {
    check(
        "name_the_fault",
        YOURS,
        &[
            ("each error is named", each),
            ("a right gradient is not reported as wrong", agrees),
            ("one element does not decide for all", one),
            ("if two diagnoses fit, the answer is Unknown", two),
            ("a factor says nothing if all elements are equal", equal),
            ("small gradients have small errors", small),
        ],
    )
}

const RIGHT: [f64; 4] = [1.0, 2.0, 3.0, 5.0];

fn same(a: Fault, b: Fault) -> bool {
    match (a, b) {
        (Fault::Factor(a), Fault::Factor(b)) => (a - b).abs() <= 1e-3 * b.abs(),
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}

fn asked(yours: &[f64], right: &[f64], wanted: Fault, why: &str) -> Outcome {
    let found = yours::name(yours, right, 2);
    match same(found, wanted) {
        true => Ok(()),
        false => Err(wrong(format!(
            "Your diagnosis is {found:?}, but {wanted:?} was expected. \
             {why}\n\n  yours  {yours:?}\n  right  {right:?}"
        ))),
    }
}

fn each(_: &()) -> Outcome {
    let of = |f: &dyn Fn(f64) -> f64| RIGHT.map(f);
    asked(&of(&|r| -r), &RIGHT, Fault::Sign, "")?;
    asked(&of(&|_| 0.0), &RIGHT, Fault::Zero, "")?;
    asked(&[1.0, 3.0, 2.0, 5.0], &RIGHT, Fault::Transposed, "")?;
    asked(&of(&|r| 2.5 * r), &RIGHT, Fault::Factor(2.5), "")?;
    asked(&of(&|r| -0.25 * r), &RIGHT, Fault::Factor(-0.25), "")?;
    asked(&of(&|r| r + 1.0), &RIGHT, Fault::Unknown, "")
}

fn agrees(_: &()) -> Outcome {
    let rounded = RIGHT.map(|r| r * (1.0 + 1e-6));
    asked(
        &rounded,
        &RIGHT,
        Fault::Agrees,
        "The elements are off by a millionth, which is rounding.",
    )?;
    let symmetric = [1.0, 2.0, 2.0, 5.0];
    asked(&symmetric, &symmetric, Fault::Agrees, "")
}

fn one(_: &()) -> Outcome {
    let why = "The first element alone would fit; the others do not.";
    asked(&[-1.0, 2.0, 3.0, 5.0], &RIGHT, Fault::Unknown, why)?;
    asked(&[0.0, 2.0, 3.0, 5.0], &RIGHT, Fault::Unknown, why)?;
    asked(&[2.0, 4.0, 6.0, 5.0], &RIGHT, Fault::Unknown, why)
}

fn two(_: &()) -> Outcome {
    let right = [0.0, 1.0, -1.0, 0.0];
    let why = "Both the wrong sign and the transposed matrix explain it: no \
               diagnosis is better than a wrong one.";
    asked(&right.map(|r| -r), &right, Fault::Unknown, why)
}

fn equal(_: &()) -> Outcome {
    let why = "All right elements are equal, so some factor always fits.";
    asked(&[6.0; 4], &[3.0; 4], Fault::Unknown, why)
}

fn small(_: &()) -> Outcome {
    let right = RIGHT.map(|r| 1e-6 * r);
    let yours = right.map(|r| -r);
    asked(&yours, &right, Fault::Sign, "The elements are millionths.")
}
