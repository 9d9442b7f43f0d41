//! Weights in files, in the format [safetensors], which Python's library of
//! that name, PyTorch and candle read and write as well.
//! "Modules and training anywhere" builds it.
//!
//! A file is eight bytes with the length of a header, the header in JSON,
//! `{"bias": {"dtype": "F32", "shape": [10], "data_offsets": [0, 40]}}`, and
//! then all numbers. There is nothing in it to run.
//!
//! What a run must remember to go on, beside its weights, is in a
//! [`checkpoint`]; "Weights that travel" builds it.
//!
//! Reading order: [`save`], [`load`], [`load_turned`], [`read`];
//! [`checkpoint`], [`resume`], and [`State`], which is what they ask of each
//! part of a run.
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

mod checkpoint;
mod file;
mod header;
mod state;
mod turned;
mod types;

pub use checkpoint::{Part, checkpoint, resume, resume_part};
pub use state::{Saved, State, Value, listed};
pub use turned::{load_turned, save_turned};

use std::collections::HashSet;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};

use self::file::{refused, shown};
use self::header::Contents;
use super::nn::ParameterMut;
use super::{Device, Tensor};
use crate::error::{Error, Result};

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
    let mut entries = Vec::new();
    for (name, tensor) in tensors {
        entries.push(Entry::tensor(name.into(), tensor)?);
    }
    write(path.as_ref(), &entries)
}
// ANCHOR_END: save

// ANCHOR: load
/// Puts the numbers of a file in the place of a model's parameters:
/// `load(path, model.parameters_mut())`. Each becomes a new leaf where its
/// parameter was, as by a step: it records, and it has no gradient yet.
///
/// # Errors
///
/// If a tensor is missing, is one too many, has another shape or numbers of
/// another type, if the file is damaged or cannot be read, or if a
/// device refuses the numbers; then nothing has changed. The sentence names
/// the file and the tensor.
#[doc(alias("load_file", "load_model", "load_state_dict"))]
pub fn load(
    path: impl AsRef<Path>,
    parameters: Vec<ParameterMut<'_>>,
) -> Result<()> {
    load_by(path.as_ref(), parameters, |_| false)
}

// ANCHOR_END: load

// ANCHOR: load-by
/// Does so, and turns the matrices of some names.
fn load_by(
    path: &Path,
    parameters: Vec<ParameterMut<'_>>,
    is_turned: impl Fn(&str) -> bool,
) -> Result<()> {
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let names: Vec<&str> = parameters.iter().map(|(n, _)| &n[..]).collect();
    contents.are(&names)?;
    let mut loaded = Vec::new();
    for (name, parameter) in &parameters {
        let (shape, dtype) = contents.about(name)?;
        let is_turned = is_turned(name);
        let shape = match is_turned {
            true => turned::shape(&contents, name, shape)?,
            false => shape.to_vec(),
        };
        if shape != parameter.shape() {
            return Err(contents.refuse(
                name,
                format!("has shape {shape:?}"),
                format!("the model wants {:?}", parameter.shape()),
            ));
        }
        if dtype != parameter.dtype() {
            return Err(contents.refuse(
                name,
                format!("is of type {dtype:?}"),
                format!(
                    "the model wants {:?}; change the model first by \
                     `.to_dtype(DType::{dtype:?})`",
                    parameter.dtype()
                ),
            ));
        }
        let there = match is_turned {
            true => turned::matrix(&contents, name, parameter.device())?,
            false => contents.tensor(name, parameter.device())?,
        };
        loaded.push(there.requires_grad());
    }
    for ((_, parameter), loaded) in parameters.into_iter().zip(loaded) {
        *parameter = loaded;
    }
    Ok(())
}
// ANCHOR_END: load-by

/// Reads all tensors of a file to a device, in the order in which they lie in
/// it, each of its own type. None of them records.
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
/// If the file is damaged, cannot be read, or has numbers of a type that this
/// crate has not, or if the device refuses them.
pub fn read(
    path: impl AsRef<Path>,
    device: Device,
) -> Result<Vec<(String, Tensor)>> {
    let path = path.as_ref();
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let read = contents.names().into_iter().map(|name| {
        let tensor = contents.tensor(&name, device)?;
        Ok((name, tensor))
    });
    read.collect()
}

/// What has a name in a file.
struct Entry {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    /// As the format has them: those of each number, the lowest first.
    bytes: Vec<u8>,
}

impl Entry {
    fn tensor(name: String, tensor: &Tensor) -> Result<Entry> {
        let (dtype, bytes) =
            (types::name(tensor.dtype()), types::bytes(tensor)?);
        Ok(Entry { name, dtype, shape: tensor.shape().to_vec(), bytes })
    }

    /// Keeps a whole number as a tensor without axes.
    fn number(name: String, number: u64) -> Entry {
        let bytes = number.to_le_bytes().to_vec();
        Entry { name, dtype: Dtype::U64, shape: Vec::new(), bytes }
    }
}

/// Writes a file of entries in the place of the one that was there.
fn write(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut names = HashSet::from([REMARKS]);
    let taken = entries.iter().find(|entry| !names.insert(&entry.name[..]));
    if let Some(Entry { name, .. }) = taken {
        return Err(Error::Mistake(format!(
            "save: {} cannot take the name {name:?}, which is taken; give \
             each tensor a name of its own",
            shown(path)
        )));
    }
    let views = entries.iter().map(|entry| {
        let view =
            TensorView::new(entry.dtype, entry.shape.clone(), &entry.bytes);
        view.map(|view| (&entry.name, view))
    });
    let file = views
        .collect::<Result<Vec<_>, _>>()
        .and_then(|views| safetensors::serialize(views, None))
        .map_err(|error| refused(path, "cannot be written", error))?;
    file::replace(path, &file)
}
