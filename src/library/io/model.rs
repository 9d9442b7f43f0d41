//! Saving and loading models: their parameters and buffers.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use super::header::Contents;
use super::{file, turned, types, write};
use crate::error::Result;
use crate::library::nn::{Parameters, SharedParameter, distinct, set_all};
use crate::part3_unified::Tensor;

// ANCHOR: save
/// Saves a model to a file: its parameters, and its buffers, such as the
/// running mean of a `BatchNorm`.
///
/// Tied weights are written under each of their names. The states of random
/// number generators and of the optimizer are not part of a model; use a
/// [`checkpoint`] to save them.
///
/// The file is replaced atomically, and keeps its mode and, if the system
/// permits, its owner. The new content is first written to a temporary file in
/// the same folder, named `.rungrad-`, 16 digits and `.new`. If the process is
/// killed, the temporary file remains, and a later save to the folder removes
/// it when it is an hour old.
///
/// [`checkpoint`]: super::checkpoint()
///
/// # Errors
///
/// If two tensors have the same name, a device cannot be read, the path is not
/// a regular file, or the file cannot be written; then an existing file is
/// unchanged.
#[doc(alias("state_dict", "save_model"))]
pub fn save(path: impl AsRef<Path>, model: &dyn Parameters) -> Result<()> {
    write(path, tensors(model).iter().map(|(name, tensor)| (name, tensor)))
}

/// Lists the tensors of a model that are saved, with their names.
pub(super) fn tensors(model: &dyn Parameters) -> Vec<(String, Tensor)> {
    let parameters = model.parameters().into_iter();
    let parameters = parameters.map(|(name, it)| (name, it.clone()));
    let buffers = model.buffers().into_iter();
    let buffers = buffers.map(|(name, it)| (name, it.get()));
    parameters.chain(buffers).collect()
}
// ANCHOR_END: save

// ANCHOR: load
/// Loads the parameters and buffers of a model from a file written by [`save`]
/// or another program.
///
/// Each parameter becomes a new leaf without a gradient, as after a step. Tied
/// weights stay one leaf; one of their names in the file is enough. The
/// counters `num_batches_tracked` of PyTorch's batch norms are ignored,
/// because `BatchNorm` does not need them.
///
/// # Errors
///
/// If a tensor is missing, is not part of the model, or has a different shape
/// or type, if tied weights differ in the file, if the file is damaged or
/// cannot be read, or if a device is out of memory; then nothing has changed.
/// The message names the file and the tensor.
#[doc(alias("load_state_dict", "load_model"))]
pub fn load(path: impl AsRef<Path>, model: &mut dyn Parameters) -> Result<()> {
    load_by(path.as_ref(), model, |_| false, Names::AllMustMatch).map(drop)
}
// ANCHOR_END: load

/// Loads the tensors that the file and the model have in common, and returns
/// the names that only one of them has, like PyTorch's
/// `load_state_dict(.., strict=False)`. Use it to fine-tune a model whose last
/// layer is new.
///
/// ```
/// use rungrad::io;
/// use rungrad::nn::{Linear, Module, Sequential};
/// use rungrad::rng::Random;
///
/// # let folder = std::env::temp_dir();
/// # let name = format!("rungrad-part-{}.safetensors", std::process::id());
/// # let path = folder.join(name);
/// let mut random = Random::new(1);
/// let trained = Sequential::new().then(Linear::new(2, 3, &mut random));
/// io::save(&path, &trained)?;
///
/// let mut deeper = Sequential::new()
///     .then(Linear::new(2, 3, &mut random))
///     .then(Linear::new(3, 1, &mut random));
/// let difference = io::load_partial(&path, &mut deeper)?;
/// assert_eq!(difference.missing, ["1.weight", "1.bias"]);
/// assert!(difference.unexpected.is_empty());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// As [`load`], but names may be missing or unexpected.
#[doc(alias = "strict")]
pub fn load_partial(
    path: impl AsRef<Path>,
    model: &mut dyn Parameters,
) -> Result<Difference> {
    load_by(path.as_ref(), model, |_| false, Names::MayDiffer)
}

/// The differences between the names in a file and the names in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Names that are in the model but not in the file. These tensors keep
    /// their values.
    pub missing: Vec<String>,
    /// Names that are in the file but not in the model.
    pub unexpected: Vec<String>,
}

impl Difference {
    fn of(contents: &Contents, model: &mut dyn Parameters) -> Difference {
        let (mut known, mut missing) = (HashSet::new(), Vec::new());
        for parameter in distinct(model.parameters_mut()) {
            let names = parameter.names();
            if !names.iter().any(|name| contents.has(name)) {
                missing.extend_from_slice(names);
            }
            known.extend(names.iter().cloned());
        }
        for (name, _) in model.buffers() {
            if !contents.has(&name) {
                missing.push(name.clone());
            }
            known.insert(name);
        }
        let is_counter = |name: &String| {
            name.rsplit('.').next() == Some("num_batches_tracked")
                && contents.has_integers(name)
        };
        let mut unexpected = contents.names();
        unexpected.retain(|name| !known.contains(name) && !is_counter(name));
        Difference { missing, unexpected }
    }

    /// Returns an error unless the names are equal.
    fn check(&self, contents: &Contents) -> Result<()> {
        let problem = [
            (&self.missing, "is missing"),
            (&self.unexpected, "is unexpected: the model has no such tensor"),
        ];
        for (names, problem) in problem {
            if let Some(name) = names.first() {
                let problem = format!(
                    "{problem}; load a file of this model, or use \
                     `load_partial`"
                );
                return Err(contents.refuse(name, problem));
            }
        }
        Ok(())
    }
}

/// Whether the names in the file must equal the names in the model.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Names {
    AllMustMatch,
    MayDiffer,
}

/// Loads a model, and transposes the matrices that `is_turned` selects.
pub(super) fn load_by(
    path: &Path,
    model: &mut dyn Parameters,
    is_turned: impl Fn(&str) -> bool,
    names: Names,
) -> Result<Difference> {
    let bytes = file::read(path)?;
    let contents = Contents::new(path, &bytes)?;
    let difference = Difference::of(&contents, model);
    if names == Names::AllMustMatch {
        difference.check(&contents)?;
    }
    let source = Source { contents: &contents, is_turned: &is_turned };
    let buffers = model.buffers().into_iter();
    let buffers = buffers.map(|(name, old)| source.find(&[name], &old.get()));
    let buffers = buffers.collect::<Result<Vec<_>>>()?;
    let parameters = distinct(model.parameters_mut());
    let found = |it: &SharedParameter| source.find(it.names(), it.tensor());
    let leaves = parameters.iter().map(found).collect::<Result<Vec<_>>>()?;
    // All tensors are loaded; nothing below can fail.
    set_all(model, leaves, buffers);
    Ok(difference)
}

/// A file, and a function that selects the matrices to transpose.
struct Source<'a> {
    contents: &'a Contents<'a>,
    is_turned: &'a dyn Fn(&str) -> bool,
}

impl Source<'_> {
    /// Reads the tensor that will replace `old`. It may have several names in
    /// the model if it is tied.
    fn find(&self, names: &[String], old: &Tensor) -> Result<Option<Tensor>> {
        let mut found: Option<(&str, Cow<[u8]>)> = None;
        for name in names.iter().filter(|name| self.contents.has(name)) {
            let bytes = self.bytes(name, old)?;
            match &found {
                None => found = Some((name, bytes)),
                Some((_, first)) if *first == bytes => {}
                Some((first, _)) => {
                    return Err(self.contents.refuse(
                        name,
                        format!(
                            "differs from \"{first}\", but they are tied in \
                             the model; load a file of this model"
                        ),
                    ));
                }
            }
        }
        let tensor = found.map(|(_, bytes)| {
            types::tensor(old.shape(), old.dtype(), &bytes, old.device())
        });
        tensor.transpose()
    }

    /// Returns the bytes of a tensor, which must have the shape and type of
    /// `old`.
    fn bytes(&self, name: &str, old: &Tensor) -> Result<Cow<'_, [u8]>> {
        let contents = self.contents;
        let (shape, dtype) = contents.metadata(name)?;
        let is_turned = (self.is_turned)(name);
        let shape = match is_turned {
            true => turned::shape(contents, name, shape)?,
            false => shape.to_vec(),
        };
        if shape != old.shape() {
            return Err(contents.refuse(
                name,
                format!(
                    "has shape {shape:?}, but the model has {:?}; load a file \
                     of this model",
                    old.shape()
                ),
            ));
        }
        if dtype != old.dtype() {
            return Err(contents.refuse(
                name,
                format!(
                    "is of type {dtype:?}, but the model has {:?}; change the \
                     model first with `.to_dtype(DType::{dtype:?})`",
                    old.dtype()
                ),
            ));
        }
        Ok(match is_turned {
            true => Cow::Owned(turned::bytes(contents, name)?),
            false => Cow::Borrowed(contents.bytes(name)?),
        })
    }
}
