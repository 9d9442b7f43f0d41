//! The state of each part of a training run, as named values.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::types;
use crate::error::{Error, Result};
use crate::library::nn::{Parameters, SharedParameter, distinct};
use crate::loader::{Loader, Place, Rows};
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// A value of a part's state.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor, such as a parameter or a running mean.
    Tensor(Tensor),
    /// An integer: a count, a position, a seed.
    Number(u64),
}

/// A part of a training run that can be saved and continued in another
/// process: a model, an optimizer, a random number generator, a data loader, a
/// counter.
///
/// ```
/// use rungrad::Result;
/// use rungrad::part3_unified::Tensor;
/// use rungrad::io::{Saved, State, Value};
///
/// /// The mean of all weights that a run has had.
/// struct Average {
///     mean: Tensor,
///     steps: u64,
/// }
///
/// impl State for Average {
///     fn state(&self) -> Vec<(String, Value)> {
///         vec![
///             ("mean".to_string(), Value::Tensor(self.mean.clone())),
///             ("steps".to_string(), Value::Number(self.steps)),
///         ]
///     }
///
///     fn restore(&mut self, saved: &mut Saved) -> Result<()> {
///         let steps = saved.number("steps")?;
///         self.mean = saved.tensor("mean", &self.mean)?;
///         self.steps = steps;
///         Ok(())
///     }
/// }
/// ```
// ANCHOR: state
pub trait State {
    /// Lists the values of the state by name. A single value may have an empty
    /// name; it is saved under the name of the part.
    fn state(&self) -> Vec<(String, Value)>;

    /// Restores the values that [`State::state`] listed.
    ///
    /// # Errors
    ///
    /// If a value is missing or does not fit; then nothing has changed.
    fn restore(&mut self, saved: &mut Saved) -> Result<()>;
}
// ANCHOR_END: state

/// Names tensors by a prefix and their index: `mean.0`, `mean.1`.
pub fn listed<'a>(
    name: &str,
    tensors: impl IntoIterator<Item = &'a Tensor>,
) -> Vec<(String, Value)> {
    let tensors = tensors.into_iter().enumerate();
    let named = |(at, tensor): (usize, &Tensor)| {
        (format!("{name}.{at}"), Value::Tensor(tensor.clone()))
    };
    tensors.map(named).collect()
}

/// The saved values of one part, which `restore` removes one by one. A value
/// that is left over is an error.
pub struct Saved {
    /// The name of the file, for error messages.
    file: String,
    part: String,
    values: BTreeMap<String, Value>,
}

impl Saved {
    pub(super) fn new(file: &str, part: &str) -> Saved {
        let (file, part) = (file.to_string(), part.to_string());
        Saved { file, part, values: BTreeMap::new() }
    }

    pub(super) fn put(&mut self, name: String, value: Value) {
        self.values.insert(name, value);
    }

    /// Returns `true` if there is a value with this name.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Removes and returns an integer.
    ///
    /// # Errors
    ///
    /// If there is no value with this name, or it is a tensor.
    pub fn number(&mut self, name: &str) -> Result<u64> {
        match self.take(name)? {
            Value::Number(number) => Ok(number),
            Value::Tensor(_) => Err(self.refuse(
                name,
                "is a tensor, but the run has an integer; load a file of this \
                 run",
            )),
        }
    }

    /// Removes and returns a tensor with the shape and type of `like`.
    ///
    /// # Errors
    ///
    /// If there is no tensor with this name, or its shape or type differs.
    pub fn tensor(&mut self, name: &str, like: &Tensor) -> Result<Tensor> {
        let tensor = match self.take(name)? {
            Value::Tensor(tensor) => tensor,
            Value::Number(_) => {
                return Err(self.refuse(
                    name,
                    "is an integer, but the run has a tensor; load a file of \
                     this run",
                ));
            }
        };
        let (shape, dtype) = (tensor.shape(), tensor.dtype());
        if shape != like.shape() {
            return Err(self.refuse(
                name,
                format!(
                    "has shape {shape:?}, but the run has {:?}; load a file of \
                     this run",
                    like.shape()
                ),
            ));
        }
        match dtype == like.dtype() {
            true => Ok(tensor),
            false => Err(self.refuse(
                name,
                format!(
                    "is of type {dtype:?}, but the run has {:?}; load a file \
                     of this run",
                    like.dtype()
                ),
            )),
        }
    }

    /// Removes and returns all tensors that were [`listed`] under a name. They
    /// are on the CPU.
    pub fn tensors(&mut self, name: &str) -> Vec<Tensor> {
        let next = |at: usize| match self.values.remove(&format!("{name}.{at}"))
        {
            Some(Value::Tensor(tensor)) => Some(tensor),
            _ => None,
        };
        (0..).map_while(next).collect()
    }

    /// Creates an error about a value that does not fit. The problem is a
    /// predicate, such as "is 7, but the loader has 8 rows".
    pub fn refuse(&self, name: &str, problem: impl Display) -> Error {
        let (file, name) = (&self.file, full_name(&self.part, name));
        Error::File(format!("{file}: \"{name}\" {problem}"))
    }

    fn take(&mut self, name: &str) -> Result<Value> {
        self.values.remove(name).ok_or_else(|| {
            self.refuse(name, "is missing; load a file of this run")
        })
    }

    /// Checks that no values are left.
    pub(super) fn end(self) -> Result<()> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.refuse(
                name,
                "is unexpected: the run has no such value; load a file of this \
                 run",
            )),
        }
    }
}

/// Returns the name of a part's value in a file.
pub(super) fn full_name(part: &str, name: &str) -> String {
    match name {
        "" => part.to_string(),
        _ => format!("{part}.{name}"),
    }
}

/// Saves parameters, buffers and generators, but not whether the module is in
/// training mode; the program sets that.
impl<M: Parameters + ?Sized> State for M {
    fn state(&self) -> Vec<(String, Value)> {
        let mut state = Vec::new();
        for (name, parameter) in self.parameters() {
            state.push((name, Value::Tensor(parameter.clone())));
        }
        for (name, buffer) in self.buffers() {
            state.push((name, Value::Tensor(buffer.get())));
        }
        for (name, generator) in self.generators() {
            state.extend(sequence(&format!("{name}."), generator.state()));
        }
        state
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        let mut leaves = Vec::new();
        for parameter in distinct(self.parameters_mut()) {
            let new = take_shared(saved, &parameter)?;
            // A tensor in a graph is the original leaf, passed in when
            // `resume` undoes a failed restore. Tensors read from a file are
            // not in a graph.
            let old = parameter.tensor();
            leaves.push(match (new.records(), old.records()) {
                (true, _) => new,
                (false, true) => new.to(old.device())?.requires_grad(),
                // A frozen parameter stays frozen.
                (false, false) => new.to(old.device())?,
            });
        }
        let mut buffers = Vec::new();
        for (name, buffer) in self.buffers() {
            let old = buffer.get();
            let new = saved.tensor(&name, &old)?;
            buffers.push(new.to(old.device())?);
        }
        let mut generators = Vec::new();
        for (name, _) in self.generators() {
            generators.push(take_sequence(saved, &format!("{name}."))?);
        }
        let parameters = distinct(self.parameters_mut());
        for (mut parameter, leaf) in parameters.into_iter().zip(leaves) {
            parameter.set(leaf);
        }
        for ((_, buffer), new) in self.buffers().into_iter().zip(buffers) {
            buffer.set(new);
        }
        let states = self.generators().into_iter().zip(generators);
        states.for_each(|((_, generator), state)| generator.set_state(state));
        Ok(())
    }
}

/// Removes and returns a parameter under each of its names. Tied weights have
/// several, which must be equal.
fn take_shared(
    saved: &mut Saved,
    parameter: &SharedParameter,
) -> Result<Tensor> {
    let first = saved.tensor(parameter.name(), parameter.tensor())?;
    for name in &parameter.names()[1..] {
        let other = saved.tensor(name, parameter.tensor())?;
        let is_same = other.id().is_some() && other.id() == first.id();
        if !is_same && types::bytes(&other)? != types::bytes(&first)? {
            return Err(saved.refuse(
                name,
                format!(
                    "differs from \"{}\", but they are tied in the model; load \
                     a file of this run",
                    parameter.name()
                ),
            ));
        }
    }
    Ok(first)
}

/// A seed and a count determine the rest of the sequence.
impl State for Random {
    fn state(&self) -> Vec<(String, Value)> {
        sequence("", Random::state(self)).into()
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        *self = Random::at(take_sequence(saved, "")?);
        Ok(())
    }
}

/// Lists a seed and the number of values drawn.
fn sequence(name: &str, [seed, count]: [u64; 2]) -> [(String, Value); 2] {
    [("seed", seed), ("count", count)]
        .map(|(it, number)| (format!("{name}{it}"), Value::Number(number)))
}

fn take_sequence(saved: &mut Saved, name: &str) -> Result<[u64; 2]> {
    let seed = saved.number(&format!("{name}seed"))?;
    Ok([seed, saved.number(&format!("{name}count"))?])
}

/// Saves the position in the data. The number of rows and the batch size are
/// checked, because the position is only meaningful with the same values.
impl<R: Rows> State for Loader<R> {
    fn state(&self) -> Vec<(String, Value)> {
        let Place { seed, epoch, batch } = self.place();
        let [rows, size] = [self.rows().count(), self.size()];
        [
            ("seed", seed),
            ("epoch", epoch),
            ("batch", batch),
            ("rows", rows as u64),
            ("size", size as u64),
        ]
        .map(|(name, number)| (name.to_string(), Value::Number(number)))
        .into()
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        for (name, ours) in
            [("rows", self.rows().count()), ("size", self.size())]
        {
            let theirs = saved.number(name)?;
            if theirs != ours as u64 {
                return Err(saved.refuse(
                    name,
                    format!(
                        "is {theirs}, but the loader has {ours}; use the data \
                         of this run"
                    ),
                ));
            }
        }
        let [seed, epoch, batch] =
            ["seed", "epoch", "batch"].map(|name| saved.number(name));
        let place = Place { seed: seed?, epoch: epoch?, batch: batch? };
        if place.batch >= self.batches() {
            return Err(saved.refuse(
                "batch",
                format!(
                    "is {}, but an epoch has {} batches, counted from 0; load a \
                     file of this run",
                    place.batch,
                    self.batches()
                ),
            ));
        }
        self.go_to(place);
        Ok(())
    }
}

/// A counter, such as the number of steps.
impl State for u64 {
    fn state(&self) -> Vec<(String, Value)> {
        vec![(String::new(), Value::Number(*self))]
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        *self = saved.number("")?;
        Ok(())
    }
}
