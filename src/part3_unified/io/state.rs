//! What a part of a run remembers, by names.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::types;
use crate::error::{Error, Result};
use crate::loader::{Loader, Place, Rows};
use crate::part3_unified::Tensor;
use crate::part3_unified::nn::{Module, SharedParameter, distinct};
use crate::rng::Random;

/// Something that a run remembers.
#[derive(Clone, Debug)]
pub enum Value {
    /// Numbers that were computed.
    Tensor(Tensor),
    /// A whole number: a count, a place, a seed.
    Number(u64),
}

/// A part of a run that goes on where it was, in another process too: a model,
/// an optimizer, a generator, a place in the data, a count.
///
/// ```
/// use rungrad::Result;
/// use rungrad::part3_unified::Tensor;
/// use rungrad::part3_unified::io::{Saved, State, Value};
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
    /// Lists all of it, by names. What has no name of its own is called as the
    /// part is.
    fn state(&self) -> Vec<(String, Value)>;

    /// Takes back what was listed.
    ///
    /// # Errors
    ///
    /// If something is missing or does not fit; then nothing has changed.
    fn restore(&mut self, saved: &mut Saved) -> Result<()>;
}
// ANCHOR_END: state

/// Names tensors by a word and their places: `mean.0`, `mean.1`.
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

/// What one part has listed, to be taken back. What nobody takes is one too
/// many.
pub struct Saved {
    /// What a sentence calls it: the file and the part.
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

    /// Takes a whole number.
    ///
    /// # Errors
    ///
    /// If there is none of this name.
    pub fn number(&mut self, name: &str) -> Result<u64> {
        match self.take(name)? {
            Value::Number(number) => Ok(number),
            Value::Tensor(_) => Err(self.refuse(
                name,
                "is a tensor",
                "the run wants a whole number; take a file of this run",
            )),
        }
    }

    /// Takes a tensor of the shape and the type of this one.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or it is another one.
    pub fn tensor(&mut self, name: &str, like: &Tensor) -> Result<Tensor> {
        let tensor = match self.take(name)? {
            Value::Tensor(tensor) => tensor,
            Value::Number(_) => {
                return Err(self.refuse(
                    name,
                    "is a whole number",
                    "the run wants a tensor; take a file of this run",
                ));
            }
        };
        let (shape, dtype) = (tensor.shape(), tensor.dtype());
        if shape != like.shape() {
            return Err(self.refuse(
                name,
                format!("has shape {shape:?}"),
                format!("the run wants {:?}", like.shape()),
            ));
        }
        match dtype == like.dtype() {
            true => Ok(tensor),
            false => Err(self.refuse(
                name,
                format!("is of type {dtype:?}"),
                format!("the run wants {:?}", like.dtype()),
            )),
        }
    }

    /// Takes the tensors that were [`listed`] under a name, however many. They
    /// are on the processor.
    pub fn tensors(&mut self, name: &str) -> Vec<Tensor> {
        let next = |at: usize| match self.values.remove(&format!("{name}.{at}"))
        {
            Some(Value::Tensor(tensor)) => Some(tensor),
            _ => None,
        };
        (0..).map_while(next).collect()
    }

    /// Writes a sentence about something that does not fit.
    pub fn refuse(
        &self,
        name: &str,
        what: impl Display,
        expected: impl Display,
    ) -> Error {
        let (file, name) = (&self.file, joined(&self.part, name));
        Error::File(format!("{file}: \"{name}\" {what}, and {expected}"))
    }

    fn take(&mut self, name: &str) -> Result<Value> {
        self.values.remove(name).ok_or_else(|| {
            self.refuse(
                name,
                "is not there",
                "the run has one; take a file of this run",
            )
        })
    }

    /// Checks that nothing is left.
    pub(super) fn end(self) -> Result<()> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.refuse(
                name,
                "is one too many",
                "the run has none; take a file of this run",
            )),
        }
    }
}

/// Returns what a part's value is called in a file.
pub(super) fn joined(part: &str, name: &str) -> String {
    match name {
        "" => part.to_string(),
        _ => format!("{part}.{name}"),
    }
}

/// Parameters, buffers and generators; whether it is being trained is for the
/// program to say.
impl<M: Module + ?Sized> State for M {
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
            let new = one_of(saved, &parameter)?;
            // A tensor that records is the leaf of before: `resume` undoes what
            // it has restored. One that was read from a file does not record.
            leaves.push(match new.records() {
                true => new,
                false => new.to(parameter.tensor().device())?.requires_grad(),
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
            generators.push(counted(saved, &format!("{name}."))?);
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

/// Takes a parameter back under each of its names. Tied weights have several,
/// which must agree.
fn one_of(saved: &mut Saved, parameter: &SharedParameter) -> Result<Tensor> {
    let first = saved.tensor(parameter.name(), parameter.tensor())?;
    for name in &parameter.names()[1..] {
        let other = saved.tensor(name, parameter.tensor())?;
        let is_same = other.id().is_some() && other.id() == first.id();
        if !is_same && types::bytes(&other)? != types::bytes(&first)? {
            return Err(saved.refuse(
                name,
                format!("differs from \"{}\"", parameter.name()),
                "the model ties both, so that they are one parameter; take a \
                 file of this run",
            ));
        }
    }
    Ok(first)
}

// ANCHOR: random
/// Two numbers are the whole of a sequence that is computed from a count.
impl State for Random {
    fn state(&self) -> Vec<(String, Value)> {
        sequence("", Random::state(self)).into()
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        *self = Random::at(counted(saved, "")?);
        Ok(())
    }
}
// ANCHOR_END: random

/// Lists a seed, and how many numbers were drawn.
fn sequence(name: &str, [seed, count]: [u64; 2]) -> [(String, Value); 2] {
    [("seed", seed), ("count", count)]
        .map(|(it, number)| (format!("{name}{it}"), Value::Number(number)))
}

fn counted(saved: &mut Saved, name: &str) -> Result<[u64; 2]> {
    let seed = saved.number(&format!("{name}seed"))?;
    Ok([seed, saved.number(&format!("{name}count"))?])
}

/// The place in the data, and what gives it a meaning: how many rows there
/// are, and how many a batch has.
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
                    format!("is {theirs}"),
                    format!("the loader has {ours}; take the data of this run"),
                ));
            }
        }
        let [seed, epoch, batch] =
            ["seed", "epoch", "batch"].map(|name| saved.number(name));
        let place = Place { seed: seed?, epoch: epoch?, batch: batch? };
        if place.batch >= self.batches() {
            return Err(saved.refuse(
                "batch",
                format!("is {}", place.batch),
                format!("an epoch has {}, counted from 0", self.batches()),
            ));
        }
        self.go_to(place);
        Ok(())
    }
}

/// A count, such as that of the steps.
impl State for u64 {
    fn state(&self) -> Vec<(String, Value)> {
        vec![(String::new(), Value::Number(*self))]
    }

    fn restore(&mut self, saved: &mut Saved) -> Result<()> {
        *self = saved.number("")?;
        Ok(())
    }
}
