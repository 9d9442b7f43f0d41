//! The loss scaling figure of "Numbers of three sizes": which gradients of a
//! small network become 0 or infinite in 16 bits.

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Linear;
use rungrad::rng::Random;
use serde_json::{Value, json};

use crate::sizes::{BF16_FORMAT, F16_FORMAT, Format};

/// The network of `examples/part3_mixed.rs`: its points, its hidden units, and
/// the height of the curve.
const POINTS: usize = 256;
const HIDDEN: usize = 16;
const HEIGHT: f32 = 1e-3;

/// The largest exponent of the scale.
const MAX_POWER: i32 = 48;

/// Answers a request with the exponent of the scale, a power of two: counts the
/// scaled gradients that become 0 or infinite in each 16-bit type.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let power = words.first().and_then(|word| word.parse().ok());
    let power = power.filter(|it| (0..=MAX_POWER).contains(it));
    let power: i32 = power.ok_or_else(|| {
        Error::Usage(format!(
            "the scale is 2 to a power from 0 to {MAX_POWER}; write for \
             example 12"
        ))
    })?;
    let scaled: Vec<f32> =
        gradients().iter().map(|it| it * 2_f32.powi(power)).collect();
    let kind = |format: &Format, x: f32| match format.rounded(x) {
        0.0 => "zero",
        y if y.is_infinite() => "infinite",
        _ => "kept",
    };
    let counts = |format: &Format| {
        let count = |name| {
            let found = scaled.iter().filter(|x| kind(format, **x) == name);
            found.count()
        };
        json!({
            "name": format.name,
            "zero": count("zero"),
            "infinite": count("infinite"),
        })
    };
    let dots = scaled.iter().map(
        |&x| json!({ "power": x.abs().log2(), "kind": kind(&F16_FORMAT, x) }),
    );
    Ok(json!({
        "count": scaled.len(),
        "scale": 2_f64.powi(power),
        "formats": [counts(&F16_FORMAT), counts(&BF16_FORMAT)],
        "dots": dots.collect::<Value>(),
    }))
}

/// Returns the gradients that reach the last matmul of the untrained network,
/// one for each point of the curve.
pub(crate) fn gradients() -> Vec<f32> {
    let mut random = Random::new(0);
    let hidden = Linear::new(1, HIDDEN, &mut random);
    let out = Linear::new(HIDDEN, 1, &mut random);
    let step = 2.0 / (POINTS - 1) as f32;
    let x: Vec<f32> = (0..POINTS).map(|i| i as f32 * step - 1.0).collect();
    let y: Vec<f32> =
        x.iter().map(|x| (3.0 * x + 1.0).sin() * HEIGHT).collect();
    let [x, y] = [x, y].map(|it| Tensor::new(&[POINTS, 1], &it));
    let product = out.forward(&hidden.forward(&x).tanh());
    // Only leaves keep their gradients.
    let product = Tensor::new(&[POINTS, 1], &product.to_vec());
    let answers = product.mul(&Tensor::new(&[1], &[HEIGHT]));
    answers.sub(&y).pow(2.0).mean().backward();
    let grad = product.grad().expect("the loss depends on it");
    grad.into_iter().collect()
}
