//! Loading and saving matrices that the file stores transposed.

use std::path::Path;

use super::header::Contents;
use super::model::{Names, load_by, tensors};
use super::write;
use crate::error::{Error, Result, room};
use crate::library::nn::Parameters;
use crate::part3_unified::Tensor;

// ANCHOR: load-turned
/// Like [`load`](super::load), for a file written by PyTorch: transposes the
/// weights of linear layers, which are (outputs, inputs) in the file and
/// (inputs, outputs) here.
///
/// `is_linear` selects these weights by name. The shape is not sufficient: a
/// layer with 16 inputs and 16 outputs fits both ways, and embeddings and
/// convolution filters have the same layout in both.
///
/// ```no_run
/// # use rungrad::{io, nn::Linear};
/// # use rungrad::rng::Random;
/// let mut model = Linear::new(3, 2, &mut Random::new(0));
/// io::load_turned("torch.safetensors", &mut model, |name| name == "weight")?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`](super::load), and if `is_linear` selects a tensor that is not a
/// matrix, or selects no tensor; then nothing has changed.
pub fn load_turned(
    path: impl AsRef<Path>,
    model: &mut dyn Parameters,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    check_selection(model, &is_linear)?;
    load_by(path.as_ref(), model, is_linear, Names::AllMustMatch).map(drop)
}
// ANCHOR_END: load-turned

/// Like [`save`](super::save), for PyTorch to load: transposes the weights of
/// linear layers, which `is_linear` selects by name.
///
/// # Errors
///
/// As [`save`](super::save), and if `is_linear` selects a tensor that is not a
/// matrix, or selects no tensor.
pub fn save_turned(
    path: impl AsRef<Path>,
    model: &dyn Parameters,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    check_selection(model, &is_linear)?;
    let mut turned = Vec::new();
    for (name, tensor) in tensors(model) {
        let tensor = match is_linear(&name) {
            true => transposed(&name, &tensor)?,
            false => tensor,
        };
        turned.push((name, tensor));
    }
    write(path, turned.iter().map(|(name, tensor)| (name, tensor)))
}

/// Returns a transposed view of a matrix. `write` writes the elements in the
/// order of the view.
fn transposed(name: &str, tensor: &Tensor) -> Result<Tensor> {
    match tensor.rank() {
        2 => Ok(tensor.detach().transpose()),
        _ => Err(Error::Mistake(format!(
            "save_turned: {name} has shape {:?}, but only a matrix can be \
             transposed; select only the weights of linear layers",
            tensor.shape()
        ))),
    }
}

/// Checks that at least one name is selected. With a typo in `is_linear` there
/// would be none, and square weights would silently load untransposed.
fn check_selection(
    model: &dyn Parameters,
    is_linear: impl Fn(&str) -> bool,
) -> Result<()> {
    match model.parameters().iter().any(|(name, _)| is_linear(name)) {
        true => Ok(()),
        false => Err(Error::Mistake(
            "no parameter is selected to be transposed; compare the names \
             with those of `model.summary()`, or use `load` and `save`"
                .to_string(),
        )),
    }
}

/// Returns the transposed shape of a matrix in a file.
pub(super) fn shape(
    contents: &Contents,
    name: &str,
    shape: &[usize],
) -> Result<Vec<usize>> {
    match shape {
        &[rows, columns] => Ok(vec![columns, rows]),
        _ => Err(contents.refuse(
            name,
            format!(
                "has shape {shape:?}, but only a matrix can be transposed; \
                 select only the weights of linear layers"
            ),
        )),
    }
}

/// Returns the bytes of a matrix in a file, transposed: (rows, columns) ->
/// (columns, rows).
pub(super) fn bytes(contents: &Contents, name: &str) -> Result<Vec<u8>> {
    let (there, _) = contents.metadata(name)?;
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
