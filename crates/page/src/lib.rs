//! The engine in the pages of the book: Part 1 and its judge, as they are,
//! compiled to WebAssembly. What a page shows is what the code of its chapter
//! computes.
//!
//! A page asks in words, one a line, as the terminal does: `try own`,
//! `(a*b)*b`, `a=2,3`, `b=3,4`. It gets JSON, or the sentence that the terminal would say.
//! No number of the engine is computed by a script.
//!
//! Reading order: [`answer`]; then a module for each figure; `door`, through
//! which a browser comes in.

mod broadcast;
mod descent;
mod diamond;
mod digits;
pub mod door;
mod expression;
mod group;
mod kernels;
mod moons;
mod nudge;
mod owners;
mod softmax;
mod strides;
mod task;
mod tiles;
mod tree;
mod warp;

use rungrad::Error;
// By these names the file of Part 3's views finds them.
use rungrad::{checks, error, shape};
use serde_json::{Value, json};

/// Answers a question: JSON with what was asked for, or with a `refusal`, the
/// engine's own sentence.
pub fn answer(question: &str) -> String {
    let mut lines = question.lines();
    let first = lines.next().unwrap_or_default();
    let (name, of) = first.split_once(' ').unwrap_or((first, ""));
    let words: Vec<&str> = lines.collect();
    let answer = match name {
        "try" => expression::answer(of, &words),
        "nudge" => nudge::answer(of, &words),
        "diamond" => diamond::answer(&words),
        "digits" => digits::answer(of, &words),
        "broadcast" => broadcast::answer(&words),
        "descent" => descent::answer(of, &words),
        "moons" => moons::answer(of),
        "owners" => owners::answer(&words),
        "strides" => strides::answer(&words),
        "task" => task::answer(of, &words),
        "softmax" => softmax::answer(&words),
        "group" => group::answer(&words),
        "warp" => warp::answer(&words),
        "tiles" => tiles::answer(&words),
        "tree" => tree::answer(&words),
        other => Err(Error::Usage(format!("`{other}` is no question"))),
    };
    let refused = |error: Error| json!({ "refusal": error.to_string() });
    answer.unwrap_or_else(refused).to_string()
}

/// Writes numbers as JSON. What JSON has no number for is a word that
/// JavaScript's `Number` reads.
fn numbers(values: &[f32]) -> Value {
    values.iter().map(|&value| number(value.into())).collect()
}

fn number(value: f64) -> Value {
    match value {
        v if v.is_finite() => json!(v),
        v if v.is_nan() => json!("NaN"),
        v if v > 0.0 => json!("Infinity"),
        _ => json!("-Infinity"),
    }
}
