//! The engine in the pages of the book: Part 1, its reference and the harness
//! of the exercises, unchanged, compiled to WebAssembly. A page shows what the
//! code of its chapter computes.
//!
//! A question consists of lines, like the arguments in a terminal: `try own`,
//! `(a*b)*b`, `a=2,3`, `b=3,4`. The answer is JSON, or the error message of
//! the terminal. No script computes a number of the engine.
//!
//! Reading order: [`answer`]; then a module for each figure; `door`, the
//! interface to the browser.

mod broadcast;
mod descent;
mod diamond;
mod digits;
pub mod door;
mod exercise;
mod expression;
mod filter;
mod fused;
pub mod gpt;
mod group;
mod guard;
mod kernels;
mod layers;
mod moons;
mod names;
mod nudge;
mod owners;
mod roofline;
mod scaling;
mod sizes;
mod softmax;
mod strides;
mod task;
mod tiles;
mod tree;
mod warp;
pub mod z85;

use rungrad::Error;
// The file with Part 3's views uses these paths.
use rungrad::{checks, error, shape};
use serde_json::{Value, json};

/// Answers a question with JSON: the result, or `refusal` with the error
/// message of the engine.
pub fn answer(question: &str) -> String {
    let mut lines = question.lines();
    let first = lines.next().unwrap_or_default();
    let (name, of) = first.split_once(' ').unwrap_or((first, ""));
    let words: Vec<&str> = lines.collect();
    let answer = match name {
        "try" => expression::answer(of, &words),
        "exercise" => exercise::answer(of, &words),
        "nudge" => nudge::answer(of, &words),
        "diamond" => diamond::answer(&words),
        "digits" => digits::answer(of, &words),
        "broadcast" => broadcast::answer(&words),
        "descent" => descent::answer(of, &words),
        "layers" => layers::answer(of, &words),
        "moons" => moons::answer(of),
        "names" => names::answer(of, &words),
        "owners" => owners::answer(&words),
        "strides" => strides::answer(&words),
        "task" => task::answer(of, &words),
        "softmax" => softmax::answer(&words),
        "group" => group::answer(&words),
        "warp" => warp::answer(&words),
        "tiles" => tiles::answer(&words),
        "tree" => tree::answer(&words),
        "sizes" => sizes::answer(of, &words),
        "scaling" => scaling::answer(&words),
        "roofline" => roofline::answer(&words),
        "filter" => filter::answer(of, &words),
        "fused" => fused::answer(&words),
        "guard" => guard::answer(&words),
        other => Err(Error::Usage(format!("`{other}` is no question"))),
    };
    let refused = |error: Error| json!({ "refusal": error.to_string() });
    answer.unwrap_or_else(refused).to_string()
}

/// Converts values to JSON. Infinity and NaN become strings that JavaScript's
/// `Number` reads.
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
