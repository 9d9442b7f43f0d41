//! The nudge figure: a finite difference in `f32` and in `f64`, and its error.

use rungrad::Error;
use serde_json::{Value, json};

use crate::number;

/// A function and its derivative. The derivative is needed in `f64` only.
struct Function {
    name: &'static str,
    single: fn(f32) -> f32,
    double: fn(f64) -> f64,
    slope: fn(f64) -> f64,
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: "cube",
        single: |x| x * x * x,
        double: |x| x * x * x,
        slope: |x| 3.0 * x * x,
    },
    Function {
        name: "quotient",
        single: |x| 1.0 / x,
        double: |x| 1.0 / x,
        slope: |x| -1.0 / (x * x),
    },
    Function {
        name: "exp",
        single: f32::exp,
        double: f64::exp,
        slope: f64::exp,
    },
    Function {
        name: "log",
        single: f32::ln,
        double: f64::ln,
        slope: |x| 1.0 / x,
    },
    Function {
        name: "tanh",
        single: f32::tanh,
        double: f64::tanh,
        slope: |x| 1.0 - x.tanh() * x.tanh(),
    },
];

/// Computes a central difference in one float type: the value above, the value
/// below, and the difference quotient.
macro_rules! central {
    ($function:expr, $x:expr, $nudge:expr) => {{
        let (above, below) = ($function($x + $nudge), $function($x - $nudge));
        [above, below, (above - below) / (2.0 * $nudge)]
    }};
}

/// Returns the difference at 2, and the maximum relative error at 64 points
/// between 1 and 2, in `f32` and in `f64`.
pub(crate) fn answer(name: &str, words: &[&str]) -> Result<Value, Error> {
    let known = FUNCTIONS.iter().find(|known| known.name == name);
    let function = known.ok_or_else(|| {
        let names: Vec<&str> = FUNCTIONS.iter().map(|it| it.name).collect();
        Error::Usage(format!(
            "`{name}` is no function to nudge; there are {}",
            names.join(", ")
        ))
    })?;
    let word = words.first().copied().unwrap_or_default();
    let nudge: f64 = word.parse().map_err(|_| {
        Error::Usage(format!("`{word}` is no nudge; write for example 1e-3"))
    })?;
    let Function { single, double, slope, .. } = function;
    let right = slope(2.0);
    let shown = |text: [String; 3], slope: f64, worst: f64| {
        let [above, below, by_nudging] = text;
        json!({
            "above": above, "below": below, "slope": by_nudging,
            "error": number((slope - right).abs() / right.abs()),
            "worst": number(worst),
        })
    };
    let [above, below, by_f32] = central!(single, 2.0, nudge as f32);
    let text = [above, below].map(|value| format!("{value:.7}"));
    let [a, b] = text;
    let text = [a, b, format!("{by_f32:.7}")];
    let f32s = shown(text, by_f32.into(), worst_in_f32(function, nudge));
    let [above, below, by_f64] = central!(double, 2.0, nudge);
    let text = [above, below, by_f64].map(|value| format!("{value:.15}"));
    let f64s = shown(text, by_f64, worst_in_f64(function, nudge));
    Ok(json!({ "right": number(right), "f32": f32s, "f64": f64s }))
}

/// Returns the maximum error, computed as in the program of "Nudge it".
fn worst_in_f32(function: &Function, nudge: f64) -> f64 {
    worst(function, |x| {
        let [.., slope] = central!((function.single), x as f32, nudge as f32);
        slope.into()
    })
}

fn worst_in_f64(function: &Function, nudge: f64) -> f64 {
    worst(function, |x| {
        let [.., slope] = central!((function.double), x, nudge);
        slope
    })
}

fn worst(function: &Function, by_nudging: impl Fn(f64) -> f64) -> f64 {
    let errors = (0..64).map(|i| {
        let x = 1.0 + f64::from(i) / 64.0;
        let right = (function.slope)(x);
        (by_nudging(x) - right).abs() / right.abs()
    });
    // A NaN counts as an infinite error.
    errors.fold(0.0, |worst: f64, error| match error.is_nan() {
        true => f64::INFINITY,
        false => worst.max(error),
    })
}
