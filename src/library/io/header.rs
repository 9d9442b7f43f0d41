//! Parses and validates the header of a file before any of it is used.

use std::path::Path;

use safetensors::tensor::{Dtype, Metadata, TensorInfo};

use super::file::{self, display_path, quote};
use super::types::{self, Integers};
use crate::error::{Error, Result};
use crate::part3_unified::{DType, Device, Tensor};
use crate::shape::checked_size;

/// The size of the header's length, which precedes the header.
const LENGTH_SIZE: usize = size_of::<u64>();

/// A file whose header describes each of its data bytes exactly once.
pub(super) struct Contents<'a> {
    path: &'a Path,
    header: Metadata,
    data: &'a [u8],
}

impl<'a> Contents<'a> {
    /// Parses the header. Sizes in the header are not trusted, so a rejected
    /// file has cost no more memory than the table of its tensors.
    pub(super) fn new(path: &'a Path, file: &'a [u8]) -> Result<Contents<'a>> {
        let damaged = |how: &str| file::damaged(path, how);
        let Some((front, rest)) = file.split_first_chunk::<LENGTH_SIZE>()
        else {
            return Err(damaged("it ends before the length of its header"));
        };
        let length = usize::try_from(u64::from_le_bytes(*front));
        let parts = length.ok().and_then(|n| rest.split_at_checked(n));
        let Some((header, data)) = parts else {
            return Err(damaged("it ends before the end of its header"));
        };
        // The library's `SafeTensors::deserialize` adds sizes without checking
        // for overflow, so it is only used to parse the header.
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

    /// Lists the names in the order of their data.
    pub(super) fn names(&self) -> Vec<String> {
        self.header.offset_keys()
    }

    /// Returns `true` if the file has a tensor with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    /// Returns the shape and type of an existing tensor.
    pub(super) fn metadata(&self, name: &str) -> Result<(&[usize], DType)> {
        let info = self.info(name)?;
        // If one axis is 0, the format accepts any size for the others.
        if checked_size(&info.shape).is_err() {
            return Err(self.refuse(
                name,
                format!(
                    "has shape {:?}, which is larger than any memory; save it \
                     again with smaller axes",
                    info.shape
                ),
            ));
        }
        match types::dtype_named(info.dtype) {
            Some(dtype) => Ok((&info.shape, dtype)),
            None => Err(self.refuse(
                name,
                format!(
                    "is of type {}, but this crate computes with F32, F64 and \
                     F16; convert it first",
                    info.dtype
                ),
            )),
        }
    }

    /// Loads an existing tensor to a device.
    pub(super) fn tensor(&self, name: &str, device: Device) -> Result<Tensor> {
        let (shape, dtype) = self.metadata(name)?;
        types::tensor(shape, dtype, self.bytes(name)?, device)
    }

    /// Returns the bytes of an existing tensor.
    pub(super) fn bytes(&self, name: &str) -> Result<&'a [u8]> {
        let (from, to) = self.info(name)?.data_offsets;
        Ok(&self.data[from..to])
    }

    /// Returns `true` if the file has integers or booleans with this name.
    pub(super) fn has_integers(&self, name: &str) -> bool {
        let info = self.header.info(name);
        info.is_some_and(|info| types::integer(info.dtype).is_some())
    }

    /// Reads integers or booleans, or returns `None` if this name has another
    /// type.
    pub(super) fn integers(&self, name: &str) -> Result<Option<Integers>> {
        let info = self.info(name)?;
        let Some((size, is_signed)) = types::integer(info.dtype) else {
            return Ok(None);
        };
        let values = types::integers(self.bytes(name)?, size, is_signed)?;
        Ok(Some(Integers { shape: info.shape.clone(), values }))
    }

    /// Returns an integer without axes, or `None` if the name belongs to a
    /// tensor.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let info = self.info(name).ok()?;
        let is_one = info.dtype == Dtype::U64 && info.shape.is_empty();
        let bytes = is_one.then(|| self.bytes(name).ok()?.try_into().ok());
        bytes.flatten().map(u64::from_le_bytes)
    }

    fn info(&self, name: &str) -> Result<&TensorInfo> {
        let info = self.header.info(name);
        info.ok_or_else(|| {
            let names: Vec<String> = self.names();
            let names: Vec<String> =
                names.iter().map(|name| quote(name)).collect();
            self.refuse(
                name,
                format!("is missing; there are {}", names.join(", ")),
            )
        })
    }

    /// Creates an error about a tensor in this file. The problem is a
    /// predicate, such as "is missing; load another file".
    pub(super) fn refuse(&self, name: &str, problem: impl AsRef<str>) -> Error {
        let (file, name) = (display_path(self.path), quote(name));
        Error::File(format!("{file}: tensor {name} {}", problem.as_ref()))
    }
}
