//! The figures of "Attention" and "Names": a trained network reads a name.

use std::cell::RefCell;

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::rng::Random;
use serde_json::{Value, json};

use crate::gpt::{CONTEXT, Gpt, HEADS};
use crate::numbers;

thread_local! {
    /// The network, once the page has passed its weights.
    static NETWORK: RefCell<Option<Gpt>> = const { RefCell::new(None) };
}

/// Answers three requests: `weights`, with the digits of `weights.js`;
/// `attention`, with a name, a head and a divisor; and `next`, with the
/// beginning of a name, a temperature and a seed.
pub(crate) fn answer(what: &str, words: &[&str]) -> Result<Value, Error> {
    if what == "weights" {
        let digits = words.first().copied().unwrap_or_default();
        NETWORK.set(Some(Gpt::decode(digits)?));
        return Ok(json!({ "longest": CONTEXT - 1, "heads": 2 * HEADS }));
    }
    NETWORK.with_borrow(|network| {
        let network = network.as_ref().ok_or_else(|| {
            Error::Usage("the network has no weights yet".to_string())
        })?;
        match (what, words) {
            ("attention", [name, head, divisor]) => {
                attention(network, name, head, divisor)
            }
            ("next", [begun, temperature, seed]) => {
                next(network, begun, temperature, seed)
            }
            _ => Err(Error::Usage(
                "write `attention` with a name, a head and a divisor, or \
                 `next` with the beginning of a name, a temperature and a seed"
                    .to_string(),
            )),
        }
    })
}

/// Returns the tokens of a name after the token 0, which begins it.
fn tokens(name: &str) -> Result<Vec<usize>, Error> {
    let token = |byte: u8| usize::from(byte - b'a') + 1;
    if let Some(other) = name.chars().find(|it| !it.is_ascii_lowercase()) {
        return Err(Error::Usage(format!(
            "`{other}` is not a letter that the network knows; it knows a to z"
        )));
    }
    if name.len() >= CONTEXT {
        return Err(Error::Usage(format!(
            "`{name}` has {} letters, and the network reads at most {}",
            name.len(),
            CONTEXT - 1
        )));
    }
    Ok([0].into_iter().chain(name.bytes().map(token)).collect())
}

/// Returns a number greater than 0.
fn positive(what: &str, word: &str) -> Result<f32, Error> {
    let number: Option<f32> = word.parse().ok();
    let number = number.filter(|it| *it > 0.0 && it.is_finite());
    number.ok_or_else(|| {
        Error::Usage(format!("`{word}` is not a {what}; write for example 1"))
    })
}

fn attention(
    network: &Gpt,
    name: &str,
    head: &str,
    divisor: &str,
) -> Result<Value, Error> {
    let text = tokens(name)?;
    let number: Option<usize> = head.parse().ok();
    let number = number.filter(|head| *head < 2 * HEADS);
    let number = number.ok_or_else(|| {
        Error::Usage(format!(
            "`{head}` is not a head; they are counted from 0 to {}",
            2 * HEADS - 1
        ))
    })?;
    let divisor = positive("divisor", divisor)?;
    let table = network.attention(&text, number, divisor);
    Ok(json!({
        "scores": numbers(&table.scores.to_vec()),
        "weights": numbers(&table.weights.to_vec()),
    }))
}

/// Returns the probability of each token, also at a temperature of 1, and one
/// token drawn with them.
fn next(
    network: &Gpt,
    begun: &str,
    temperature: &str,
    seed: &str,
) -> Result<Value, Error> {
    let text = tokens(begun)?;
    let temperature = positive("temperature", temperature)?;
    let seed: u64 = seed.parse().map_err(|_| {
        Error::Usage(format!("`{seed}` is not a seed; write for example 1"))
    })?;
    let scores = network.next(&text);
    let cold = (&scores * (1.0 / temperature)).softmax();
    let drawn = draw(&cold, &mut Random::new(seed));
    Ok(json!({
        "probabilities": numbers(&cold.to_vec()),
        "plain": numbers(&scores.softmax().to_vec()),
        "drawn": drawn,
    }))
}

fn draw(probabilities: &Tensor, random: &mut Random) -> usize {
    let mut left = random.uniform();
    let probabilities = probabilities.to_vec();
    for (token, probability) in probabilities.iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return token;
        }
    }
    probabilities.len() - 1
}
