//! A storage seen through a view, built in "One tensor, two devices" and
//! "Strides".
//!
//! An array knows where its numbers are and how they are walked; nothing is
//! recorded here. What moves no element is in this file; what computes
//! stands in `arithmetic.rs`.

use std::fmt;
use std::sync::Arc;

use super::arithmetic::alike;
use super::backend::keeps_no;
use super::number::{Element, with_type};
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
        Array::of(shape, values, device)
    }

    /// Makes an array with elements of any type.
    pub fn of<T: Element>(
        shape: &[usize],
        values: &[T],
        device: Device,
    ) -> Result<Array> {
        checks::element_count(shape, values.len())?;
        let storage = T::upload(values, device.backend()?)?;
        Array::dense(device, storage, shape).kept_as(T::DTYPE)
    }

    /// Makes an array that is one value everywhere: a single number in memory.
    pub fn full(shape: &[usize], value: f32, device: Device) -> Result<Array> {
        Array::full_of(shape, value.into(), DType::F32, device)
    }

    /// Does the same with a number of any type.
    pub fn full_of(
        shape: &[usize],
        value: f64,
        dtype: DType,
        device: Device,
    ) -> Result<Array> {
        let one = with_type!(dtype, T => {
            Array::of(&[], &[T::nearest(value)], device)
        })?;
        one.expand(shape)
    }

    /// Makes one of this array's type, on its device.
    pub(super) fn full_here(
        &self,
        shape: &[usize],
        value: f64,
    ) -> Result<Array> {
        Array::full_of(shape, value, self.dtype(), self.device)
    }

    /// Draws numbers from 0 to below 1: the first of the sequence that the
    /// seed begins, the same on every device.
    pub fn uniform(
        shape: &[usize],
        seed: u64,
        device: Device,
    ) -> Result<Array> {
        Array::uniform_of(shape, seed, DType::F32, device)
    }

    /// Does the same with numbers of any type.
    pub fn uniform_of(
        shape: &[usize],
        seed: u64,
        dtype: DType,
        device: Device,
    ) -> Result<Array> {
        let n = checked_size(shape)?;
        let storage = device.backend()?.uniform(seed, n, dtype)?;
        Array::dense(device, storage, shape).kept_as(dtype)
    }

    /// Checks the type of new numbers: a device of a reader's own may have
    /// kept them as another.
    fn kept_as(self, dtype: DType) -> Result<Array> {
        match self.dtype() == dtype {
            true => Ok(self),
            false => Err(keeps_no(&self.device.name()?, dtype)),
        }
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

    /// Computes the elements, where a lazy device has put that off.
    pub fn realize(&self) -> Result<()> {
        self.device.backend()?.realize(self)
    }

    /// Returns the error of a computation that some of these arrays depend on,
    /// if one has failed after its call returned.
    pub(super) fn check_all<'a>(
        arrays: impl IntoIterator<Item = &'a Array>,
    ) -> Result<()> {
        let arrays: Vec<&Array> = arrays.into_iter().collect();
        for same in arrays.chunk_by(|a, b| a.device == b.device) {
            same[0].device.backend()?.check(same)?;
        }
        Ok(())
    }

    /// Copies the elements to the host, in row-major order. What the view
    /// leaves out does not travel: where that is anything, they are copied
    /// first, on the device.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        self.to_vec_of()
    }

    /// Does the same as elements of a type into which those of the array fit:
    /// nothing is rounded that nobody has asked to be.
    pub fn to_vec_of<T: Element>(&self) -> Result<Vec<T>> {
        if T::DTYPE.size() < self.dtype().size() {
            return Err(Error::Mistake(format!(
                "to_vec: the elements are {0} and would be rounded to {1}; \
                 read them by `.to_vec_of::<{0}>()`, or round them first by \
                 `.to_dtype(DType::{1:?})`",
                self.dtype(),
                T::DTYPE
            )));
        }
        self.read()
    }

    /// Copies the elements to the host, rounded where they do not fit.
    pub(super) fn read<T: Element>(&self) -> Result<Vec<T>> {
        if self.is_empty() {
            return Ok(vec![]);
        }
        let backend = self.device.backend()?;
        if self.is_dense() && self.len() == self.storage.len() {
            return T::download(&*self.storage, backend);
        }
        T::download(&*backend.copy(self)?, backend)
    }

    /// Copies the elements to another device.
    pub fn to(&self, device: Device) -> Result<Array> {
        if device == self.device {
            return Ok(self.clone());
        }
        with_type!(self.dtype(), T => {
            Array::of(self.shape(), &self.to_vec_of::<T>()?, device)
        })
    }

    /// Makes an array of the nearest numbers of another type. Where the view
    /// shows numbers more than once, each is looked at once.
    pub fn to_dtype(&self, dtype: DType) -> Result<Array> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let backend = self.device.backend()?;
        let n = self.storage.len();
        if n > self.len() || self.is_empty() {
            let storage = backend.cast(self, dtype)?;
            return self.dense_like(storage).kept_as(dtype);
        }
        let all = self.with_view(View::dense(&[n]));
        let all = Array { storage: backend.cast(&all, dtype)?, ..self.clone() };
        all.kept_as(dtype)
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
        alike("set", self, values)?;
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
        let words = with_type!(self.dtype(), T => {
            let values = self.to_vec_of::<T>();
            values.map(|values| shape::nested_of(self.shape(), &values))
        });
        match words {
            Ok(words) => write!(f, "{words} on {}", self.device),
            Err(error) => write!(f, "({error})"),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} through {:?}", self.view)
    }
}
