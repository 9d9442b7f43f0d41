//! Matrices that lie the other way around in a file.

use std::path::Path;

use super::header::Contents;
use super::{Entry, load_by, types, write};
use crate::error::{Error, Result, room};
use crate::part3_unified::nn::{Parameter, ParameterMut};
use crate::part3_unified::{Device, Tensor};

// ANCHOR: load-turned
/// Loads as [`load`](super::load) does a file that PyTorch has written, and
/// turns the weights of linear layers: (outputs, inputs) there, (inputs,
/// outputs) here.
///
/// `is_linear` says of each name whether it is such a weight. The shape cannot
/// say it: a layer of 16 inputs and 16 outputs fits either way, and the table
/// of an embedding or the filters of a convolution lie here as they do there.
///
/// ```no_run
/// # use rungrad::part3_unified::{io, nn::{Linear, Module}};
/// # use rungrad::rng::Random;
/// let mut model = Linear::new(3, 2, &mut Random::new(0));
/// let parameters = model.parameters_mut();
/// io::load_turned("torch.safetensors", parameters, |name| name == "weight")?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`](super::load), and if something is to be turned that is no
/// matrix, or nothing is; then nothing has changed.
pub fn load_turned(
    path: impl AsRef<Path>,
    parameters: Vec<ParameterMut<'_>>,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    turns_something(parameters.iter().map(|(name, _)| name), &is_linear)?;
    load_by(path.as_ref(), parameters, is_linear)
}
// ANCHOR_END: load-turned

/// Saves as [`save`](super::save) does, for PyTorch to load: the weights of
/// linear layers are turned, of which `is_linear` says the names.
///
/// # Errors
///
/// As [`save`](super::save), and if something is to be turned that is no
/// matrix, or nothing is.
pub fn save_turned(
    path: impl AsRef<Path>,
    parameters: Vec<Parameter<'_>>,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    turns_something(parameters.iter().map(|(name, _)| name), &is_linear)?;
    let mut entries = Vec::new();
    for (name, tensor) in parameters {
        let tensor = match is_linear(&name) {
            true => rotated(&name, tensor)?,
            false => tensor.clone(),
        };
        entries.push(Entry::tensor(name, &tensor)?);
    }
    write(path.as_ref(), &entries)
}

/// Looks at a matrix along its other axis; `save` writes what a view shows.
fn rotated(name: &str, tensor: &Tensor) -> Result<Tensor> {
    match tensor.rank() {
        2 => Ok(tensor.detach().transpose()),
        _ => Err(Error::Mistake(format!(
            "save_turned: {name} has shape {:?} and is no matrix; turn the \
             weights of linear layers alone",
            tensor.shape()
        ))),
    }
}

/// Checks that there is a name to turn: a typing error would turn none, and
/// square weights would be loaded wrong in silence.
fn turns_something<'a>(
    mut names: impl Iterator<Item = &'a String>,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    match names.any(|name| is_linear(name)) {
        true => Ok(()),
        false => Err(Error::Mistake(
            "none of the parameters is to be turned; compare the names with \
             those of `model.summary()`, or load and save without turning"
                .to_string(),
        )),
    }
}

/// Returns the shape of a matrix of a file, seen from the other side.
pub(super) fn shape(
    contents: &Contents,
    name: &str,
    shape: &[usize],
) -> Result<Vec<usize>> {
    match shape {
        &[rows, columns] => Ok(vec![columns, rows]),
        _ => Err(contents.refuse(
            name,
            format!("has shape {shape:?}"),
            "only a matrix can be turned; turn the weights of linear layers \
             alone",
        )),
    }
}

/// Turns a matrix of a file: (rows, columns) -> (columns, rows).
pub(super) fn matrix(
    contents: &Contents,
    name: &str,
    device: Device,
) -> Result<Tensor> {
    let (there, dtype) = contents.about(name)?;
    let shape = shape(contents, name, there)?;
    let (rows, columns, bytes) = (shape[1], shape[0], contents.bytes(name)?);
    let size = bytes.len() / (rows * columns).max(1);
    let mut turned = room(bytes.len())?;
    for column in 0..columns {
        for row in 0..rows {
            let at = size * (row * columns + column);
            turned.extend_from_slice(&bytes[at..at + size]);
        }
    }
    types::tensor(&shape, dtype, &turned, device)
}
