//! A run in a file, so that another process can go on with it.

use std::path::Path;

use super::file::{self, quoted, shown};
use super::header::Contents;
use super::state::{Saved, State, Value, joined};
use super::{Entry, write_entries};
use crate::error::{Error, Result};
use crate::part3_unified::Device;

/// A part of a run and its name, without a point in it. One list of them
/// serves both ways, so what is written is what is read.
pub type Part<'a> = (&'static str, &'a mut dyn State);

/// Writes all that a run must remember to go on with the same numbers: each
/// part of it under a name.
///
/// The file is there whole, or it is what it was before, as with
/// [`save`](super::save). It has the same format: [`read`](super::read()) reads
/// its tensors, and [`read_integers`](super::read_integers) its whole numbers,
/// which are of type `U64` and have no axes.
///
/// ```
/// use rungrad::part3_unified::io;
/// use rungrad::part3_unified::nn::Linear;
/// use rungrad::part3_unified::optim::Adam;
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
/// If two parts have one name, a device cannot be read, or the file system
/// refuses; then nothing has changed.
#[doc(alias = "save")]
// ANCHOR: checkpoint
pub fn checkpoint(path: impl AsRef<Path>, parts: &[Part<'_>]) -> Result<()> {
    check_names(parts.iter().map(|(name, _)| *name))?;
    let mut entries = Vec::new();
    for (part, state) in parts {
        for (name, value) in state.state() {
            let name = joined(part, &name);
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
/// Gives each part of a run back what it had when the [`checkpoint`] was
/// written. Tensors go where those of the model are.
///
/// # Errors
///
/// If something in the file is missing, one too many or does not fit, if it
/// is damaged or cannot be read, or if a device refuses the numbers; then
/// nothing has changed. The sentence names the file and what it is about.
#[doc(alias = "load")]
pub fn resume(path: impl AsRef<Path>, parts: &mut [Part<'_>]) -> Result<()> {
    check_names(parts.iter().map(|(name, _)| *name))?;
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    let mut saved = read(path.as_ref(), &names)?;
    let before: Vec<_> = parts.iter().map(|(_, part)| part.state()).collect();
    for at in 0..parts.len() {
        let Err(error) = restored(parts[at].1, saved.remove(0)) else {
            continue;
        };
        // None or all: those before it get back what they had.
        for ((name, part), before) in parts[..=at].iter_mut().zip(before) {
            let mut own = Saved::new("what was there before", name);
            before.into_iter().for_each(|(name, value)| own.put(name, value));
            part.restore(&mut own)?;
        }
        return Err(error);
    }
    Ok(())
}
// ANCHOR_END: resume

/// Gives one part back what it had, and leaves the others in the file: the
/// model alone, for a program that trains no more.
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
    let mut saved = Saved::new(&shown(path), name);
    for full in contents.names() {
        if let Some(inner) = inner(&full, name) {
            saved.put(inner.to_string(), value(&contents, &full)?);
        }
    }
    let before = part.state();
    restored(part, saved).or_else(|error| {
        let mut own = Saved::new("what was there before", name);
        before.into_iter().for_each(|(name, value)| own.put(name, value));
        part.restore(&mut own)?;
        Err(error)
    })
}

fn restored(part: &mut dyn State, mut saved: Saved) -> Result<()> {
    part.restore(&mut saved)?;
    saved.end()
}

/// Reads what belongs to each part. What belongs to none is one too many.
fn read(path: &Path, parts: &[&str]) -> Result<Vec<Saved>> {
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let saved = parts.iter().map(|part| Saved::new(&shown(path), part));
    let mut saved: Vec<Saved> = saved.collect();
    for full in contents.names() {
        let mut places = parts.iter().enumerate();
        let place =
            places.find_map(|(at, part)| Some((at, inner(&full, part)?)));
        let Some((at, inner)) = place else {
            return Err(Error::File(format!(
                "{}: {} belongs to no part of this run, which has {}; take a \
                 file of this run",
                shown(path),
                quoted(&full),
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

/// Returns what a part calls something, if it belongs to it.
fn inner<'a>(full: &'a str, part: &str) -> Option<&'a str> {
    match full.strip_prefix(part)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    }
}

/// Checks that each part can be told from the others by what stands before
/// the first point.
fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if name.is_empty() || name.contains('.') || seen.contains(&name) {
            return Err(Error::Mistake(format!(
                "checkpoint: a part cannot be called {name:?}; give each a \
                 name of its own, without a point in it"
            )));
        }
        seen.push(name);
    }
    Ok(())
}
