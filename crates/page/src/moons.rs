//! The moons figure: trains in the page with the code of "Downhill",
//! and draws the decision boundary.

use std::cell::RefCell;

#[path = "../../../examples/part1_moons/border.rs"]
#[allow(dead_code, reason = "a page draws the border and no ground")]
mod border;
#[path = "../../../examples/part1_moons/training.rs"]
mod training;

use rungrad::Error;
use rungrad::data::Dataset;
use serde_json::{Value, json};

use crate::{number, numbers};
use border::{Border, X, Y};
use training::{EPOCHS, Training, both_moons, shares};

struct Course {
    points: Dataset,
    others: Dataset,
    training: Training,
    epochs: usize,
}

thread_local! {
    /// The training in this page, once it has begun.
    static TRAINING: RefCell<Option<Course>> = const { RefCell::new(None) };
}

/// Answers `begin`, `epoch`, and `border`: the segments of the line on which
/// both classes have probability 1/2.
pub(crate) fn answer(what: &str) -> Result<Value, Error> {
    if what == "begin" {
        return Ok(begin());
    }
    TRAINING.with_borrow_mut(|course| {
        let course = course.as_mut().ok_or_else(|| {
            Error::Usage("no training has begun; begin one".to_string())
        })?;
        match what {
            "epoch" => Ok(course.epoch()),
            "border" => Ok(course.border()),
            other => {
                Err(Error::Usage(format!("`{other}` is no step of a course")))
            }
        }
    })
}

fn begin() -> Value {
    let (points, others) = both_moons();
    let shown = json!({
        "points": numbers(&points.inputs), "labels": points.labels,
        "others": others.rows(), "epochs": EPOCHS,
        "x": numbers(&X), "y": numbers(&Y),
    });
    let training = Training::new();
    TRAINING.set(Some(Course { points, others, training, epochs: 0 }));
    shown
}

impl Course {
    fn epoch(&mut self) -> Value {
        let epoch = self.training.epoch(&self.points, &self.others);
        self.epochs += 1;
        json!({
            "epoch": self.epochs,
            "loss": number(epoch.loss.into()),
            "accuracy": number(epoch.accuracy.into()),
        })
    }

    fn border(&self) -> Value {
        let network = &self.training.network;
        let border = Border::new(|points| shares(network, points));
        let pieces = border.pieces().into_iter();
        numbers(&pieces.flat_map(|(x, y)| [x, y]).collect::<Vec<_>>())
    }
}
