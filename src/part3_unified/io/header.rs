//! What a file says that it holds, before anything of it is believed.

use std::path::Path;

use safetensors::tensor::{Dtype, Metadata};

use super::file::{quoted, refused, shown};
use crate::error::{Error, Result, room};

/// The length of the header, as eight bytes, stands in front of it.
const FRONT: usize = size_of::<u64>();

/// A file whose header describes every byte that follows it, each once.
pub(super) struct Contents<'a> {
    path: &'a Path,
    header: Metadata,
    data: &'a [u8],
}

impl<'a> Contents<'a> {
    /// Reads the header. What is refused has cost no more memory than a table
    /// of what is in the file: no size in it is taken at its word.
    pub(super) fn new(path: &'a Path, file: &'a [u8]) -> Result<Contents<'a>> {
        let damaged = |how: &str| refused(path, "is damaged", how);
        let Some((front, rest)) = file.split_first_chunk::<FRONT>() else {
            return Err(damaged("it ends before the length of its header"));
        };
        let length = usize::try_from(u64::from_le_bytes(*front));
        let parts = length.ok().and_then(|n| rest.split_at_checked(n));
        let Some((header, data)) = parts else {
            return Err(damaged("it ends before the end of its header"));
        };
        // The library's own `SafeTensors::deserialize` adds up sizes without
        // a look at 2^64, so it gets the header alone.
        let header: Metadata = serde_json::from_slice(header)
            .map_err(|error| damaged(&format!("its header: {error}")))?;
        match header.data_len() == data.len() {
            true => Ok(Contents { path, header, data }),
            false => Err(damaged(&format!(
                "its header describes {} bytes of numbers, and it has {}",
                header.data_len(),
                data.len()
            ))),
        }
    }

    /// Lists the names, in the order of the numbers.
    pub(super) fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    /// Checks that these names are in the file and no others.
    pub(super) fn are(&self, names: &[&str]) -> Result<()> {
        let there = self.names();
        let missing = |name: &&&str| self.header.info(name).is_none();
        if let Some(name) = names.iter().find(missing) {
            return Err(self.refuse(
                name,
                "is not there",
                "the model has one; load a file of this model",
            ));
        }
        let extra = |name: &&String| !names.contains(&&name[..]);
        match there.iter().find(extra) {
            None => Ok(()),
            Some(name) => Err(self.refuse(
                name,
                "is one too many",
                "the model has none; load a file of this model",
            )),
        }
    }

    /// Returns the shape and the numbers of a tensor that is there.
    pub(super) fn tensor(&self, name: &str) -> Result<(&[usize], Vec<f32>)> {
        let Some(info) = self.header.info(name) else {
            return Err(self.refuse(name, "is not there", "look for another"));
        };
        if info.dtype != Dtype::F32 {
            return Err(self.refuse(
                name,
                format!("is of type {}", info.dtype),
                "F32 is what this crate computes with; convert it first",
            ));
        }
        let (from, to) = info.data_offsets;
        let bytes = &self.data[from..to];
        let mut values = room(bytes.len() / 4)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        values.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        Ok((&info.shape, values))
    }

    /// Writes a sentence about a tensor of this file.
    pub(super) fn refuse(
        &self,
        name: &str,
        what: impl AsRef<str>,
        expected: impl AsRef<str>,
    ) -> Error {
        let (file, name) = (shown(self.path), quoted(name));
        let (what, expected) = (what.as_ref(), expected.as_ref());
        Error::File(format!("{file}: tensor {name} {what}, and {expected}"))
    }
}
