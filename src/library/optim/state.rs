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
        let moments = means.into_iter().zip(squares);
        self.moments = moments.map(|(mean, square)| [mean, square]).collect();
        self.steps = steps;
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
