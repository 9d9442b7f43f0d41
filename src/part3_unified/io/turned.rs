//! Matrices that a file has in transposed form.

use std::path::Path;

use super::header::Contents;
use super::model::{Names, load_by, tensors};
use super::write;
use crate::error::{Error, Result, room};
use crate::part3_unified::Tensor;
use crate::part3_unified::nn::Module;

// ANCHOR: load-turned
/// Loads a model as [`load`](super::load) does, from a file that PyTorch has
/// written, and transposes the weights of linear layers: (outputs, inputs)
/// there, (inputs, outputs) here.
///
/// `is_linear` decides for each name whether it is such a weight. The shape
/// cannot decide it: a layer of 16 inputs and 16 outputs fits both ways, and
/// the table of an embedding or the filters of a convolution have the same
/// order here and there.
///
/// ```no_run
/// # use rungrad::part3_unified::{io, nn::Linear};
/// # use rungrad::rng::Random;
/// let mut model = Linear::new(3, 2, &mut Random::new(0));
/// io::load_turned("torch.safetensors", &mut model, |name| name == "weight")?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`](super::load), and if `is_linear` selects a tensor that is not a
/// matrix, or none at all; then nothing has changed.
pub fn load_turned(
    path: impl AsRef<Path>,
    model: &mut dyn Module,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    check_selection(model, &is_linear)?;
    load_by(path.as_ref(), model, is_linear, Names::AllMustMatch).map(drop)
}
// ANCHOR_END: load-turned

/// Saves a model as [`save`](super::save) does, for PyTorch to load: the
/// weights of linear layers, which `is_linear` selects by name, are transposed.
///
/// # Errors
///
/// As [`save`](super::save), and if `is_linear` selects a tensor that is not a
/// matrix, or none at all.
pub fn save_turned(
    path: impl AsRef<Path>,
    model: &dyn Module,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    check_selection(model, &is_linear)?;
    let mut turned = Vec::new();
    for (name, tensor) in tensors(model) {
        let tensor = match is_linear(&name) {
            true => rotated(&name, &tensor)?,
            false => tensor,
        };
        turned.push((name, tensor));
    }
    write(path, turned.iter().map(|(name, tensor)| (name, tensor)))
}

/// Returns a transposed view of a matrix; `write` writes what a view shows.
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

/// Checks that there is a name to turn: with a typing error there is none, and
/// square weights would be loaded wrong without an error.
fn check_selection(
    model: &dyn Module,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    match model.parameters().iter().any(|(name, _)| is_linear(name)) {
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

/// Returns the numbers of a matrix of a file, transposed: (rows, columns) ->
/// (columns, rows).
pub(super) fn bytes(contents: &Contents, name: &str) -> Result<Vec<u8>> {
    let (there, _) = contents.about(name)?;
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
    Ok(turned)
}
