//! Saving and loading models in the [safetensors] format, which the Python
//! library of that name, PyTorch and candle use too. Built in "Modules and
//! training anywhere".
//!
//! A file consists of eight bytes with the length of the header, a JSON
//! header,
//! `{"bias": {"dtype": "F32", "shape": [10], "data_offsets": [0, 40]}}`, and
//! the elements of all tensors. It contains no code.
//!
//! | function | in the file |
//! |---|---|
//! | [`save`], [`load`] | a model: its parameters and buffers |
//! | [`save_turned`], [`load_turned`] | the same, for and from PyTorch |
//! | [`checkpoint`], [`resume`] | a run: model, optimizer, random numbers, step |
//! | [`write()`], [`read`] | any tensors, by their names |
//! | [`read_integers`] | the integers among them |
//!
//! Reading order: [`save`], [`load`], [`load_partial`], [`load_turned`],
//! [`write()`], [`read`]; then [`checkpoint`], [`resume`], and [`State`],
//! which every part of a training run implements. Checkpoints are built in
//! "Weights that travel".
//!
//! ```
//! use rungrad::nn::{Linear, Module};
//! use rungrad::part3_unified::Tensor;
//! use rungrad::io;
//! use rungrad::rng::Random;
//!
//! # let folder = std::env::temp_dir();
//! # let name = format!("rungrad-{}.safetensors", std::process::id());
//! # let path = folder.join(name);
//! let taught = Linear::new(2, 1, &mut Random::new(1));
//! io::save(&path, &taught)?;
//!
//! let mut fresh = Linear::new(2, 1, &mut Random::new(2));
//! io::load(&path, &mut fresh)?;
//! assert_eq!(fresh.weight.to_vec()?, taught.weight.to_vec()?);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! [safetensors]: https://github.com/huggingface/safetensors

mod checkpoint;
mod file;
mod header;
mod model;
mod state;
mod turned;
mod types;

pub use checkpoint::{Part, checkpoint, resume, resume_part, set_state};
pub use model::{Difference, load, load_partial, save};
pub use state::{Saved, State, Value, listed};
pub use turned::{load_turned, save_turned};
pub use types::Integers;

use std::collections::HashSet;
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};

use self::file::{cannot_write, display_path};
use self::header::Contents;
use crate::error::{Error, Result};
use crate::part3_unified::{Device, Tensor};

/// A name that the format reserves for metadata.
const METADATA_KEY: &str = "__metadata__";

/// Writes named tensors to a file. An existing file is replaced as in
/// [`save`].
///
/// ```
/// use rungrad::part3_unified::{Device, Tensor};
/// use rungrad::io;
///
/// # let folder = std::env::temp_dir();
/// # let name = format!("rungrad-write-{}.safetensors", std::process::id());
/// # let path = folder.join(name);
/// let mean = Tensor::new(&[2], &[0.5, -1.0], Device::Cpu)?;
/// io::write(&path, [("mean", &mean)])?;
/// let tensors = io::read(&path, Device::Cpu)?;
/// assert_eq!(tensors[0].0, "mean");
/// assert_eq!(tensors[0].1.to_vec()?, [0.5, -1.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// As [`save`].
#[doc(alias = "save_file")]
pub fn write<'a, N: Into<String>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (N, &'a Tensor)>,
) -> Result<()> {
    let mut entries = Vec::new();
    for (name, tensor) in tensors {
        entries.push(Entry::tensor(name.into(), tensor)?);
    }
    write_entries(path.as_ref(), &entries)
}

/// Reads the tensors of a file to a device, in the order of the file. Each
/// keeps its type, and none is part of a graph.
///
/// Tensors of this crate hold floats. Integers and booleans in a file, such as
/// the step of a [`checkpoint`] or PyTorch's `num_batches_tracked`, are
/// skipped; [`read_integers`] returns them.
///
/// # Errors
///
/// If the file is damaged, cannot be read, or has floats other than F32, F64
/// or F16, or if the device is out of memory.
#[doc(alias = "load_file")]
pub fn read(
    path: impl AsRef<Path>,
    device: Device,
) -> Result<Vec<(String, Tensor)>> {
    let path = path.as_ref();
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let mut tensors = Vec::new();
    for name in contents.names() {
        if !contents.has_integers(&name) {
            let tensor = contents.tensor(&name, device)?;
            tensors.push((name, tensor));
        }
    }
    Ok(tensors)
}

/// Reads the integers and booleans of a file, which [`read`] skips: labels,
/// token ids, counters, masks. They stay on the host, where this crate expects
/// labels and ids.
///
/// ```
/// use rungrad::io;
///
/// # let folder = std::env::temp_dir();
/// # let name = format!("rungrad-ints-{}.safetensors", std::process::id());
/// # let path = folder.join(name);
/// let mut step = 57_u64;
/// io::checkpoint(&path, &[("step", &mut step)])?;
/// let (name, step) = &io::read_integers(&path)?[0];
/// assert_eq!((&name[..], &step.values[..]), ("step", &[57][..]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If the file is damaged or cannot be read.
pub fn read_integers(
    path: impl AsRef<Path>,
) -> Result<Vec<(String, Integers)>> {
    let path = path.as_ref();
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let mut all = Vec::new();
    for name in contents.names() {
        if let Some(integers) = contents.integers(&name)? {
            all.push((name, integers));
        }
    }
    Ok(all)
}

/// A named tensor in a file.
struct Entry {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    /// The elements in row-major order, each in little-endian byte order.
    bytes: Vec<u8>,
}

impl Entry {
    fn tensor(name: String, tensor: &Tensor) -> Result<Entry> {
        let (dtype, bytes) =
            (types::dtype_name(tensor.dtype()), types::bytes(tensor)?);
        Ok(Entry { name, dtype, shape: tensor.shape().to_vec(), bytes })
    }

    /// Creates a tensor without axes from an integer.
    fn number(name: String, number: u64) -> Entry {
        let bytes = number.to_le_bytes().to_vec();
        Entry { name, dtype: Dtype::U64, shape: Vec::new(), bytes }
    }
}

/// Writes the entries to a file, and replaces an existing one.
fn write_entries(path: &Path, entries: &[Entry]) -> Result<()> {
    let mut names = HashSet::from([METADATA_KEY]);
    let taken = entries.iter().find(|entry| !names.insert(&entry.name[..]));
    if let Some(Entry { name, .. }) = taken {
        return Err(Error::Mistake(format!(
            "save: {} cannot take the name {name:?}, which is taken; give \
             each tensor a name of its own",
            display_path(path)
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
        .map_err(|error| cannot_write(path, std::io::Error::other(error)))?;
    file::replace(path, &file)
}
