//! The descent figure of "Downhill": gradient descent on two
//! variables, in a round bowl or a narrow valley, with the optimizer that
//! trains the networks.

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::optim::Sgd;
use serde_json::{Value, json};

use crate::{number, numbers};

/// The maximum number of steps in a picture.
const MAX_STEPS: usize = 200;

/// A requested walk.
pub(crate) struct Walk {
    /// The steepness along each of the two axes.
    steepness: [f32; 2],
    start: Vec<f32>,
    sgd: Sgd,
    steps: usize,
}

impl Walk {
    /// Parses a surface, a start such as `-4,1`, a learning rate, a momentum,
    /// and the number of steps.
    pub(crate) fn parse(ground: &str, words: &[&str]) -> Result<Walk, Error> {
        let steepness = match ground {
            "bowl" => [1.0, 1.0],
            "valley" => [1.0, 20.0],
            other => {
                return Err(Error::Usage(format!(
                    "`{other}` is no ground; write bowl or valley"
                )));
            }
        };
        let [start, rate, momentum, steps] = words else {
            return Err(Error::Usage(
                "a descent takes a start, a learning rate, a momentum and a \
                 number of steps"
                    .to_string(),
            ));
        };
        let start: Vec<f32> =
            start.split(',').map(read).collect::<Result<_, _>>()?;
        if start.len() != 2 {
            return Err(Error::Usage(format!(
                "a start has two numbers, such as -4,1, and not {}",
                start.len()
            )));
        }
        let steps: usize = read(steps)?;
        if steps > MAX_STEPS {
            return Err(Error::Usage(format!(
                "the page draws {MAX_STEPS} steps, and not {steps}"
            )));
        }
        let sgd = Sgd::new(read(rate)?, read(momentum)?);
        Ok(Walk { steepness, start, sgd, steps })
    }

    /// Returns all positions, including the start, and their losses.
    pub(crate) fn trail(mut self) -> Vec<(Vec<f32>, f32)> {
        let steepness = Tensor::new(&[2], &self.steepness);
        let mut p = Tensor::new(&[2], &self.start);
        let mut trail = Vec::new();
        loop {
            let loss = (&p * &p * &steepness * 0.5).sum();
            trail.push((p.to_vec(), loss.to_vec()[0]));
            if trail.len() > self.steps {
                return trail;
            }
            loss.backward();
            self.sgd.step(vec![("p".to_string(), &mut p)]);
        }
    }
}

/// Answers a walk: its positions, their losses, and the steepness of the
/// surface.
pub(crate) fn answer(ground: &str, words: &[&str]) -> Result<Value, Error> {
    let walk = Walk::parse(ground, words)?;
    let steepness = numbers(&walk.steepness);
    let trail = walk.trail();
    let losses = trail.iter().map(|(_, loss)| number((*loss).into()));
    Ok(json!({
        "steepness": steepness,
        "places": trail.iter().map(|(p, _)| numbers(p)).collect::<Value>(),
        "losses": losses.collect::<Value>(),
    }))
}

fn read<T: std::str::FromStr>(word: &str) -> Result<T, Error> {
    word.trim().parse().map_err(|_| {
        Error::Usage(format!("`{word}` is no number here; write for example 1"))
    })
}
