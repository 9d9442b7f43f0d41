//! A storage seen through a view, built in "One tensor, two devices" and
//! "Strides".
//!
//! An array knows where its numbers are and how they are walked; nothing is
//! recorded here. What moves no element is in this file; what computes
//! stands in `arithmetic.rs`.

use std::fmt;
use std::sync::Arc;

use super::{DType, Device, Shared, Spans, View};
use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{self, checked_size};

// ANCHOR: array
/// Numbers on a device, and the way to walk them. Clones and views share the
/// numbers.
#[derive(Clone)]
pub struct Array {
    pub(super) device: Device,
    pub(super) storage: Shared,
    pub(super) view: Arc<View>,
}
// ANCHOR_END: array

impl Array {
    /// Makes an array with these elements in row-major order.
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Array> {
        Array::of(DType::default(), shape, values, device)
    }

    /// Makes an array of numbers of a type.
    fn of(
        dtype: DType,
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Array> {
        checks::element_count(shape, values.len())?;
        let storage = device.backend()?.upload(values, dtype)?;
        Ok(Array::dense(device, storage, shape))
    }

    /// Makes an array that is one value everywhere: a single number in memory.
    pub fn full(shape: &[usize], value: f32, device: Device) -> Result<Array> {
        let view = Arc::new(View::dense(&[]).expand(shape)?);
        let storage = device.backend()?.upload(&[value], DType::default())?;
        Ok(Array { device, storage, view })
    }

    /// Draws numbers from 0 to below 1: the first of the sequence that the
    /// seed begins, the same on every device.
    pub fn uniform(
        shape: &[usize],
        seed: u64,
        device: Device,
    ) -> Result<Array> {
        let (n, dtype) = (checked_size(shape)?, DType::default());
        let storage = device.backend()?.uniform(seed, n, dtype)?;
        Ok(Array::dense(device, storage, shape))
    }

    /// Makes any view of this array's storage, which it shares.
    pub fn as_strided(
        &self,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Array> {
        let view = View::new(shape, strides, offset, self.storage.len())?;
        Ok(self.with_view(view))
    }

    /// Makes an array of a new storage in row-major order.
    pub(super) fn dense(
        device: Device,
        storage: Shared,
        shape: &[usize],
    ) -> Array {
        Array { device, storage, view: Arc::new(View::dense(shape)) }
    }

    /// Makes an array of a new storage, which lies as this one would in
    /// row-major order.
    pub(super) fn dense_like(&self, storage: Shared) -> Array {
        let view = match self.is_dense() && self.offset() == 0 {
            true => self.view.clone(),
            false => Arc::new(View::dense(self.shape())),
        };
        Array { device: self.device, storage, view }
    }

    /// Looks at the same storage through another view.
    pub(super) fn with_view(&self, view: View) -> Array {
        let (device, storage) = (self.device, self.storage.clone());
        Array { device, storage, view: Arc::new(view) }
    }

    /// Returns the device that holds the numbers.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the type of the numbers.
    pub fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    /// Returns the view: how the numbers are walked.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the size along each axis.
    pub fn shape(&self) -> &[usize] {
        self.view.shape()
    }

    /// Returns how far apart, in elements, neighbors along each axis lie.
    pub fn strides(&self) -> &[isize] {
        self.view.strides()
    }

    /// Returns where in the storage the first element lies.
    pub fn offset(&self) -> usize {
        self.view.offset()
    }

    /// Returns the memory behind this view.
    pub fn storage(&self) -> &Shared {
        &self.storage
    }

    /// Says whether both look at one memory.
    pub fn shares_storage(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Returns the number of elements that the view shows.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Says whether the view shows no element.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Says whether the elements lie one after another from the first on.
    #[doc(alias = "is_contiguous")]
    pub fn is_dense(&self) -> bool {
        self.view.is_dense()
    }

    /// Copies the elements to the host, in row-major order. What the view
    /// leaves out does not travel: where that is anything, they are copied
    /// first, on the device.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        if self.is_empty() {
            return Ok(vec![]);
        }
        let backend = self.device.backend()?;
        if self.is_dense() && self.len() == self.storage.len() {
            return backend.download(&*self.storage);
        }
        backend.download(&*backend.copy(self)?)
    }

    /// Copies the elements to another device.
    pub fn to(&self, device: Device) -> Result<Array> {
        if device == self.device {
            return Ok(self.clone());
        }
        Array::of(self.dtype(), self.shape(), &self.to_vec()?, device)
    }
}

// Views: no element moves.
impl Array {
    /// Stretches axes of size 1, as [`View::expand`] says.
    pub fn expand(&self, shape: &[usize]) -> Result<Array> {
        if shape == self.shape() {
            return Ok(self.clone());
        }
        self.view.expand(shape).map(|view| self.with_view(view))
    }

    /// Reorders the axes, as [`View::permute`] says.
    pub fn permute(&self, axes: &[usize]) -> Result<Array> {
        self.view.permute(axes).map(|view| self.with_view(view))
    }

    /// Takes a part of each axis, as [`View::slice`] says.
    pub fn slice(&self, spans: impl Spans) -> Result<Array> {
        self.view.slice(spans).map(|view| self.with_view(view))
    }

    /// Turns some axes around, as [`View::flip`] says.
    pub fn flip(&self, axes: &[usize]) -> Result<Array> {
        self.view.flip(axes).map(|view| self.with_view(view))
    }
}

// ANCHOR: reshape
// No element moves unless there is no other way.
impl Array {
    /// Gives the elements, in row-major order, another shape; copies only when
    /// no strides can say it.
    pub fn reshape(&self, shape: &[usize]) -> Result<Array> {
        if shape == self.shape() {
            return Ok(self.clone());
        }
        checks::reshape(self.shape(), shape)?;
        match self.view.reshape(shape) {
            Some(view) => Ok(self.with_view(view)),
            None => self.compact()?.reshape(shape),
        }
    }

    /// Lays the elements one after another; copies only when they are not.
    #[doc(alias = "contiguous")]
    pub fn compact(&self) -> Result<Array> {
        if self.is_dense() {
            return Ok(self.clone());
        }
        let storage = self.device.backend()?.copy(self)?;
        Ok(self.dense_like(storage))
    }
}
// ANCHOR_END: reshape

// ANCHOR: set
impl Array {
    /// Replaces some elements. An array is a value: other arrays of the same
    /// storage keep the old numbers, so where there are any, the storage is
    /// copied first.
    pub fn set(&mut self, spans: impl Spans, values: &Array) -> Result<()> {
        let spans = spans.spans();
        let place = self.view.slice(&spans)?;
        if values.shape() != place.shape() || values.device != self.device {
            return Err(Error::Mistake(format!(
                "set: the place has shape {:?} on {}, the values {:?} on {}; \
                 give both the same",
                place.shape(),
                self.device,
                values.shape(),
                values.device
            )));
        }
        let backend = self.device.backend()?;
        let alone = Arc::get_mut(&mut self.storage).is_some();
        if !alone || !self.is_dense() {
            let storage = backend.copy(self)?;
            *self = self.dense_like(storage);
        }
        let place = self.view.slice(&spans)?;
        let storage = Arc::get_mut(&mut self.storage);
        let storage = storage.expect("the only one that looks at it");
        match place.is_empty() {
            true => Ok(()),
            false => backend.paste(storage, &place, values),
        }
    }
}
// ANCHOR_END: set

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_vec() {
            Ok(values) => {
                f.write_str(&shape::nested(self.shape(), &values))?;
                write!(f, " on {}", self.device)
            }
            Err(error) => write!(f, "({error})"),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} through {:?}", self.view)
    }
}
