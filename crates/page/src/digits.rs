//! The digits figure: trains in the page with the code of "Train the digits",
//! epoch by epoch, and classifies the reader's drawings.

use std::cell::RefCell;

#[path = "../../../examples/part1_digits/training.rs"]
#[allow(dead_code, reason = "the whole training at once is for a terminal")]
mod training;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::metrics::predictions;
use rungrad::part1_cpu::Tensor;
use serde_json::{Value, json};

use crate::{number, numbers};
use training::{EPOCHS, Training};

struct Course {
    rows: Dataset,
    held_out: Dataset,
    training: Training,
    epochs: usize,
}

thread_local! {
    /// The training in this page, once it has begun.
    static TRAINING: RefCell<Option<Course>> = const { RefCell::new(None) };
}

/// Answers `begin`, `epoch`, `shown N` for a held-out digit, and `scores` with
/// 64 pixels.
pub(crate) fn answer(what: &str, words: &[&str]) -> Result<Value, Error> {
    if what == "begin" {
        return Ok(begin());
    }
    TRAINING.with_borrow_mut(|course| {
        let course = course.as_mut().ok_or_else(|| {
            Error::Usage("no training has begun; begin one".to_string())
        })?;
        match what {
            "epoch" => Ok(course.epoch()),
            "shown" => course.shown(words),
            "scores" => course.scores(words),
            other => {
                Err(Error::Usage(format!("`{other}` is no step of a course")))
            }
        }
    })
}

fn begin() -> Value {
    let (rows, held_out) = digits().split(SPLIT_SEED);
    let counts = json!({
        "rows": rows.rows(), "held_out": held_out.rows(), "epochs": EPOCHS,
    });
    let training = Training::new(0);
    TRAINING.set(Some(Course { rows, held_out, training, epochs: 0 }));
    counts
}

impl Course {
    fn epoch(&mut self) -> Value {
        let epoch = self.training.epoch(&self.rows, &self.held_out);
        self.epochs += 1;
        json!({
            "epoch": self.epochs,
            "loss": number(epoch.loss.into()),
            "held_out": number(epoch.held_out.into()),
            "accuracy": number(epoch.accuracy.into()),
        })
    }

    /// Returns one of the held-out digits.
    fn shown(&self, words: &[&str]) -> Result<Value, Error> {
        let word = words.first().copied().unwrap_or_default();
        let row: Option<usize> = word.parse().ok();
        let row = row.filter(|row| *row < self.held_out.rows());
        let row = row.ok_or_else(|| {
            Error::Usage(format!(
                "there is no digit `{word}`; {} were held out, from 0 on",
                self.held_out.rows()
            ))
        })?;
        let label = self.held_out.labels[row];
        Ok(json!({ "pixels": numbers(self.held_out.row(row)), "label": label }))
    }

    /// Returns the scores of a drawing, and the gradient of the largest score
    /// with respect to each pixel.
    fn scores(&mut self, words: &[&str]) -> Result<Value, Error> {
        let pixels = words.first().copied().unwrap_or_default().split(',');
        let pixels: Option<Vec<f32>> =
            pixels.map(|it| it.parse().ok()).collect();
        let pixels = pixels.filter(|pixels| pixels.len() == 64);
        let pixels = pixels.ok_or_else(|| {
            Error::Usage("a drawing is 64 numbers from 0 to 1".to_string())
        })?;
        let drawing = Tensor::new(&[1, 64], &pixels);
        let scores = self.training.network.forward(&drawing);
        let shares = scores.softmax();
        let guess = predictions(&scores.to_vec(), 10)[0];
        let mut mask = [0.0; 10];
        mask[guess] = 1.0;
        scores.mul(&Tensor::new(&[1, 10], &mask)).sum().backward();
        let grad = drawing.grad().expect("every pixel is used");
        let grad: Vec<f32> = grad.into_iter().collect();
        // The gradient also reaches the parameters of the network, whose
        // training may continue.
        for (_, parameter) in self.training.network.parameters() {
            parameter.zero_grad();
        }
        Ok(json!({
            "scores": numbers(&scores.to_vec()),
            "shares": numbers(&shares.to_vec()),
            "guess": guess,
            "slopes": numbers(&grad),
        }))
    }
}
