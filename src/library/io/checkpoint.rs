//! Checkpoints: the state of a training run in a file, so that another process
//! can continue it.

use std::path::Path;

use super::file::{self, display_path, quote};
use super::header::Contents;
use super::state::{Saved, State, Value, full_name};
use super::{Entry, write_entries};
use crate::error::{Error, Result};
use crate::part3_unified::Device;

/// A part of a run and its name, which must not contain a dot. Use the same
/// list of parts for saving and resuming.
pub type Part<'a> = (&'static str, &'a mut dyn State);

/// Saves the state of a training run, so that it can be continued with exactly
/// the same numbers. Each part is saved under its name.
///
/// The file is replaced atomically, as in [`save`](super::save), and has the
/// same format: [`read`](super::read()) returns its tensors, and
/// [`read_integers`](super::read_integers) its integers, which have type `U64`
/// and no axes.
///
/// ```
/// use rungrad::io;
/// use rungrad::nn::Linear;
/// use rungrad::optim::Adam;
/// use rungrad::rng::Random;
///
/// # let name = format!("rungrad-run-{}.safetensors", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// struct Run {
///     model: Linear,
///     adam: Adam,
///     random: Random,
///     step: u64,
/// }
///
/// impl Run {
///     fn parts(&mut self) -> [io::Part<'_>; 4] {
///         [
///             ("model", &mut self.model),
///             ("adam", &mut self.adam),
///             ("random", &mut self.random),
///             ("step", &mut self.step),
///         ]
///     }
/// }
///
/// let mut random = Random::new(1);
/// let model = Linear::new(2, 1, &mut random);
/// let mut run = Run { model, adam: Adam::new(1e-3), random, step: 57 };
/// io::checkpoint(&path, &run.parts())?;
///
/// // Perhaps in another process, of the same program.
/// run.step = 0;
/// io::resume(&path, &mut run.parts())?;
/// assert_eq!(run.step, 57);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If two parts have the same name, a device cannot be read, or the file
/// cannot be written; then an existing file is unchanged.
#[doc(alias = "save")]
// ANCHOR: checkpoint
pub fn checkpoint(path: impl AsRef<Path>, parts: &[Part<'_>]) -> Result<()> {
    check_names(parts.iter().map(|(name, _)| *name))?;
    let mut entries = Vec::new();
    for (part, state) in parts {
        for (name, value) in state.state() {
            let name = full_name(part, &name);
            entries.push(match value {
                Value::Tensor(tensor) => Entry::tensor(name, &tensor)?,
                Value::Number(number) => Entry::number(name, number),
            });
        }
    }
    write_entries(path.as_ref(), &entries)
}
// ANCHOR_END: checkpoint

// ANCHOR: resume
/// Restores each part of a run from a [`checkpoint`]. Tensors are loaded to
/// the devices of the tensors that they replace.
///
/// # Errors
///
/// If something in the file is missing, unexpected or does not fit, if the
/// file is damaged or cannot be read, or if a device fails; then nothing has
/// changed. The message names the file and the tensor or number.
#[doc(alias = "load")]
pub fn resume(path: impl AsRef<Path>, parts: &mut [Part<'_>]) -> Result<()> {
    check_names(parts.iter().map(|(name, _)| *name))?;
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    let mut saved = read(path.as_ref(), &names)?;
    let before: Vec<_> = parts.iter().map(|(_, part)| part.state()).collect();
    for at in 0..parts.len() {
        let Err(error) = restore_part(parts[at].1, saved.remove(0)) else {
            continue;
        };
        // All or nothing: restore the parts that were already changed.
        for ((name, part), before) in parts[..=at].iter_mut().zip(before) {
            set_state(name, *part, before)?;
        }
        return Err(error);
    }
    Ok(())
}
// ANCHOR_END: resume

/// Restores one part of a run and ignores the others, for example only the
/// model for a program that does not continue training.
///
/// # Errors
///
/// As [`resume`].
pub fn resume_part(
    path: impl AsRef<Path>,
    name: &str,
    part: &mut dyn State,
) -> Result<()> {
    let path = path.as_ref();
    check_names([name].into_iter())?;
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let mut saved = Saved::new(&display_path(path), name);
    for full in contents.names() {
        if let Some(inner) = inner(&full, name) {
            saved.put(inner.to_string(), value(&contents, &full)?);
        }
    }
    let before = part.state();
    restore_part(part, saved).or_else(|error| {
        set_state(name, part, before)?;
        Err(error)
    })
}

/// Restores a part from values that [`State::state`] listed. The name is for
/// error messages.
///
/// # Errors
///
/// If a value is missing, unexpected or does not fit.
pub fn set_state(
    name: &str,
    part: &mut dyn State,
    state: Vec<(String, Value)>,
) -> Result<()> {
    let mut saved = Saved::new("the state", name);
    state.into_iter().for_each(|(name, value)| saved.put(name, value));
    restore_part(part, saved)
}

fn restore_part(part: &mut dyn State, mut saved: Saved) -> Result<()> {
    part.restore(&mut saved)?;
    saved.end()
}

/// Reads the values of each part. A value that belongs to no part is an error.
fn read(path: &Path, parts: &[&str]) -> Result<Vec<Saved>> {
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let saved = parts.iter().map(|part| Saved::new(&display_path(path), part));
    let mut saved: Vec<Saved> = saved.collect();
    for full in contents.names() {
        let mut places = parts.iter().enumerate();
        let place =
            places.find_map(|(at, part)| Some((at, inner(&full, part)?)));
        let Some((at, inner)) = place else {
            return Err(Error::File(format!(
                "{}: {} does not belong to a part of this run, which are {}; \
                 load a file of this run",
                display_path(path),
                quote(&full),
                parts.join(", ")
            )));
        };
        saved[at].put(inner.to_string(), value(&contents, &full)?);
    }
    Ok(saved)
}

fn value(contents: &Contents, name: &str) -> Result<Value> {
    match contents.number(name) {
        Some(number) => Ok(Value::Number(number)),
        None => contents.tensor(name, Device::Cpu).map(Value::Tensor),
    }
}

/// Returns the name within the part, if the full name belongs to the part.
fn inner<'a>(full: &'a str, part: &str) -> Option<&'a str> {
    match full.strip_prefix(part)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    }
}

/// Checks that the part names are unique, not empty, and without a dot.
fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if name.is_empty() || name.contains('.') || seen.contains(&name) {
            return Err(Error::Mistake(format!(
                "checkpoint: {name:?} cannot be the name of a part; give each \
                 part a different name without a dot"
            )));
        }
        seen.push(name);
    }
    Ok(())
}
