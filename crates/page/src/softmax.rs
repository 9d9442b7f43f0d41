//! The softmax figure of "Right on paper": scores, their probabilities,
//! and the loss.

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::shape::list;
use serde_json::{Value, json};

use crate::{number, numbers};

/// Answers scores and a label: the probabilities from the engine and from the
/// naive formula, the loss, and its gradient.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [scores, label] = words else {
        return Err(Error::Usage(
            "softmax takes scores, and the number of the right one".to_string(),
        ));
    };
    let values = scores.split(',').map(|it| it.trim().parse());
    let values: Vec<f32> = values.collect::<Result<_, _>>().map_err(|_| {
        Error::Usage(format!(
            "`{scores}` are no scores; write for example 1,2,3"
        ))
    })?;
    let label: usize = label.parse().map_err(|_| {
        Error::Usage(format!("`{label}` is no label; write for example 0"))
    })?;
    let scores = Tensor::new(&[1, values.len()], &values);
    let shares = scores.softmax().to_vec();
    // The naive formula does not subtract the largest score.
    let powers = scores.exp();
    let defined = powers.div(&powers.sum()).to_vec();
    let loss = scores.cross_entropy(&[label]);
    loss.backward();
    let grad = scores.grad().expect("the loss is made of the scores");
    Ok(json!({
        "shares": numbers(&shares),
        "defined": list(&defined),
        "loss": number(loss.to_vec()[0].into()),
        "slopes": numbers(&grad.into_iter().collect::<Vec<f32>>()),
    }))
}
