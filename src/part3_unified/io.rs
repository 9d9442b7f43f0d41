//! Weights in files, in the format [safetensors], which Python's library of
//! that name, PyTorch and candle read and write as well.
//! "Modules and training anywhere" builds it.
//!
//! A file is eight bytes with the length of a header, the header in JSON,
//! `{"bias": {"dtype": "F32", "shape": [10], "data_offsets": [0, 40]}}`, and
//! then all numbers. There is nothing in it to run.
//!
//! Reading order: [`save`], [`load`], [`read`].
//!
//! ```
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::{Tensor, io};
//! use rungrad::rng::Random;
//!
//! # let folder = std::env::temp_dir();
//! # let name = format!("rungrad-{}.safetensors", std::process::id());
//! # let path = folder.join(name);
//! let taught = Linear::new(2, 1, &mut Random::new(1));
//! io::save(&path, taught.parameters())?;
//!
//! let mut fresh = Linear::new(2, 1, &mut Random::new(2));
//! io::load(&path, fresh.parameters_mut())?;
//! assert_eq!(fresh.weight.to_vec()?, taught.weight.to_vec()?);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! [safetensors]: https://github.com/huggingface/safetensors

mod file;
mod header;

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};

use self::file::{refused, shown};
use self::header::Contents;
use super::nn::ParameterMut;
use super::{Device, Tensor};
use crate::error::{Error, Result, room};

/// What a name must not be: the format keeps it for remarks.
const REMARKS: &str = "__metadata__";

// ANCHOR: save
/// Writes named tensors to a file: the parameters of a model,
/// `model.parameters()`, or any others, `[("mean", &mean)]`.
///
/// The file is there whole, or it is what it was before: everything is
/// written beside it first and then takes its name. Whoever is killed on the
/// way leaves a file behind that begins with `.new-` and may be deleted.
///
/// # Errors
///
/// If two tensors have one name, a device cannot be read, or the file system
/// refuses; then nothing has changed.
#[doc(alias("save_file", "save_model"))]
pub fn save<'a, N: Into<String>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    let path = path.as_ref();
    let mut all: HashMap<String, (Vec<usize>, Vec<u8>)> = HashMap::new();
    for (name, tensor) in tensors {
        let (name, bytes) = (name.into(), bytes(&tensor.to_vec()?)?);
        let taken = name == REMARKS || all.contains_key(&name);
        if taken {
            return Err(Error::Mistake(format!(
                "save: {} cannot take the name {name:?}, which is taken; give \
                 each tensor a name of its own",
                shown(path)
            )));
        }
        all.insert(name, (tensor.shape().to_vec(), bytes));
    }
    let views = all.iter().map(|(name, (shape, bytes))| {
        TensorView::new(Dtype::F32, shape.clone(), bytes).map(|it| (name, it))
    });
    let file = views
        .collect::<Result<Vec<_>, _>>()
        .and_then(|views| safetensors::serialize(views, None))
        .map_err(|error| refused(path, "cannot be written", error))?;
    file::replace(path, &file)
}
// ANCHOR_END: save

// ANCHOR: load
/// Puts the numbers of a file in the place of a model's parameters:
/// `load(path, model.parameters_mut())`. Each becomes a new leaf where its
/// parameter was, as by a step: it records, and it has no gradient yet.
///
/// # Errors
///
/// If a tensor is missing, is one too many, has another shape or other
/// numbers than `f32`, if the file is damaged or cannot be read, or if a
/// device refuses the numbers; then nothing has changed. The sentence names
/// the file and the tensor.
#[doc(alias("load_file", "load_model", "load_state_dict"))]
pub fn load(
    path: impl AsRef<Path>,
    parameters: Vec<ParameterMut<'_>>,
) -> Result<()> {
    let path = path.as_ref();
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let names: Vec<&str> = parameters.iter().map(|(n, _)| &n[..]).collect();
    contents.are(&names)?;
    let mut loaded = Vec::new();
    for (name, parameter) in &parameters {
        let (shape, values) = contents.tensor(name)?;
        if shape != parameter.shape() {
            return Err(contents.refuse(
                name,
                format!("has shape {shape:?}"),
                format!("the model wants {:?}", parameter.shape()),
            ));
        }
        let there = Tensor::new(shape, &values, parameter.device())?;
        loaded.push(there.requires_grad());
    }
    for ((_, parameter), loaded) in parameters.into_iter().zip(loaded) {
        *parameter = loaded;
    }
    Ok(())
}
// ANCHOR_END: load

/// Reads all tensors of a file to a device, in the order in which they lie in
/// it. None of them records.
///
/// ```
/// use rungrad::part3_unified::{Device, Tensor, io};
///
/// # let folder = std::env::temp_dir();
/// # let name = format!("rungrad-read-{}.safetensors", std::process::id());
/// # let path = folder.join(name);
/// let mean = Tensor::new(&[2], &[0.5, -1.0], Device::Cpu)?;
/// io::save(&path, [("mean", &mean)])?;
/// let tensors = io::read(&path, Device::Cpu)?;
/// assert_eq!(tensors[0].0, "mean");
/// assert_eq!(tensors[0].1.to_vec()?, [0.5, -1.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If the file is damaged, cannot be read, or has other numbers than `f32`,
/// or if the device refuses them.
pub fn read(
    path: impl AsRef<Path>,
    device: Device,
) -> Result<Vec<(String, Tensor)>> {
    let path = path.as_ref();
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let read = contents.names().into_iter().map(|name| {
        let (shape, values) = contents.tensor(&name)?;
        let tensor = Tensor::new(shape, &values, device)?;
        Ok((name, tensor))
    });
    read.collect()
}

/// Writes numbers as the format has them: four bytes each, the lowest first.
fn bytes(values: &[f32]) -> Result<Vec<u8>> {
    let mut bytes = room(4 * values.len())?;
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    Ok(bytes)
}
