//! Saving and restoring the state of the optimizers.

use super::{Adam, AdamW, Sgd};
use crate::error::Result;
use crate::library::io::{Saved, State, Value, listed};

impl State for Sgd {
    fn state(&self) -> Vec<(String, Value)> {
        listed("velocity", &self.velocity)
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        self.velocity = saved.tensors("velocity");
        Ok(())
    }
}

impl State for Adam {
    fn state(&self) -> Vec<(String, Value)> {
        let mut state =
            vec![("steps".to_string(), Value::Number(u64::from(self.steps)))];
        for (index, &skipped) in self.skipped.iter().enumerate() {
            if skipped > 0 {
                let skipped = Value::Number(u64::from(skipped));
                state.push((format!("skipped.{index}"), skipped));
            }
        }
        state.extend(listed("mean", self.moments.iter().map(|[m, _]| m)));
        state.extend(listed("square", self.moments.iter().map(|[_, s]| s)));
        state
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        let steps = saved.number("steps")?;
        let Ok(steps) = u32::try_from(steps) else {
            let problem = format!("is {steps}; the limit is {}", u32::MAX);
            return Err(saved.refuse("steps", problem));
        };
        let [means, squares] =
            ["mean", "square"].map(|name| saved.tensors(name));
        if means.len() != squares.len() {
            return Err(saved.refuse(
                "square",
                format!(
                    "lists {} tensors, but \"mean\" lists {}; load a file of \
                     this run",
                    squares.len(),
                    means.len()
                ),
            ));
        }
        let mut skipped = vec![0; means.len()];
        for (index, skipped) in skipped.iter_mut().enumerate() {
            let name = format!("skipped.{index}");
            if !saved.has(&name) {
                continue;
            }
            let number = saved.number(&name)?;
            *skipped = match u32::try_from(number) {
                Ok(number) if number <= steps => number,
                _ => {
                    let problem = format!("is {number}, but there are {steps}");
                    return Err(saved.refuse(&name, problem + " steps"));
                }
            };
        }
        let moments = means.into_iter().zip(squares);
        self.moments = moments.map(|(mean, square)| [mean, square]).collect();
        (self.steps, self.skipped) = (steps, skipped);
        Ok(())
    }
}

impl State for AdamW {
    fn state(&self) -> Vec<(String, Value)> {
        self.adam.state()
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        self.adam.restore(saved)
    }
}
