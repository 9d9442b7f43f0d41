//! An array: a storage and a view of it, built in "One tensor, two devices"
//! and "Strides".
//!
//! Arrays know nothing about gradients. This file contains the operations that
//! move no data; `arithmetic.rs` contains those that compute.

use std::fmt;
use std::sync::Arc;

use super::arithmetic::check_same_kind;
use super::backend::keeps_no;
use super::number::{Element, with_type};
use super::{DType, Device, Shared, Spans, View};
use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{self, checked_size};

// ANCHOR: array
/// A storage on a device, and the view that maps indices to its elements.
/// Clones and views share the storage.
#[derive(Clone)]
pub struct Array {
    pub(super) device: Device,
    pub(super) storage: Shared,
    pub(super) view: Arc<View>,
}
// ANCHOR_END: array

/// A copy of elements to the host that may still be running; see [`Array::start_read`].
#[must_use = "elements that are not used need not be copied"]
pub struct PendingRead {
    finish: FinishRead,
    /// The memory that the device may still be reading. It is dropped after
    /// `finish`, which waits for the copy.
    _source: Option<Shared>,
}

type FinishRead = Box<dyn FnOnce(&mut Vec<f32>) -> Result<()> + Send>;

impl PendingRead {
    /// Wraps a function that waits for the elements and appends them.
    pub fn new(
        finish: impl FnOnce(&mut Vec<f32>) -> Result<()> + Send + 'static,
    ) -> PendingRead {
        PendingRead { finish: Box::new(finish), _source: None }
    }

    /// Wraps elements that have arrived.
    pub fn ready(elements: Vec<f32>) -> PendingRead {
        PendingRead::new(move |values| {
            values.extend(elements);
            Ok(())
        })
    }

    /// Waits for the elements and appends them to `values`. This can be called
    /// in a different thread.
    pub fn append_to(self, values: &mut Vec<f32>) -> Result<()> {
        (self.finish)(values)
    }
}

impl Array {
    /// Creates an `f32` array from its elements in row-major order.
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Array> {
        Array::of(shape, values, device)
    }

    /// Creates an array with elements of any supported type.
    pub fn of<T: Element>(
        shape: &[usize],
        values: &[T],
        device: Device,
    ) -> Result<Array> {
        checks::element_count(shape, values.len())?;
        let storage = T::upload(values, device.backend()?)?;
        Array::dense(device, storage, shape).check_dtype(T::DTYPE)
    }

    /// Creates an array with the same value everywhere. It stores a single
    /// element, whatever the shape.
    pub fn full(shape: &[usize], value: f32, device: Device) -> Result<Array> {
        Array::full_of(shape, value.into(), DType::F32, device)
    }

    /// Creates an array of any type with the same value everywhere, like
    /// [`Array::full`].
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

    /// Creates a constant array with this array's type, on its device.
    pub fn full_here(&self, shape: &[usize], value: f64) -> Result<Array> {
        Array::full_of(shape, value, self.dtype(), self.device)
    }

    /// Creates an array of random `f32` numbers from [0, 1). A seed gives the
    /// same sequence on every device.
    pub fn uniform(
        shape: &[usize],
        seed: u64,
        device: Device,
    ) -> Result<Array> {
        Array::uniform_of(shape, seed, DType::F32, device)
    }

    /// Creates an array of random numbers of any type, like
    /// [`Array::uniform`].
    pub fn uniform_of(
        shape: &[usize],
        seed: u64,
        dtype: DType,
        device: Device,
    ) -> Result<Array> {
        let n = checked_size(shape)?;
        let storage = device.backend()?.uniform(seed, n, dtype)?;
        Array::dense(device, storage, shape).check_dtype(dtype)
    }

    /// Checks the type of a newly created array, because a user's backend may
    /// have stored a different one.
    fn check_dtype(self, dtype: DType) -> Result<Array> {
        match self.dtype() == dtype {
            true => Ok(self),
            false => Err(keeps_no(&self.device.name()?, dtype)),
        }
    }

    /// Creates an arbitrary view of this array's storage, which is shared.
    pub fn as_strided(
        &self,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Array> {
        let view = View::new(shape, strides, offset, self.storage.len())?;
        Ok(self.with_view(view))
    }

    /// Wraps a storage of the device as an array in row-major order.
    pub fn dense(device: Device, storage: Shared, shape: &[usize]) -> Array {
        Array { device, storage, view: Arc::new(View::dense(shape)) }
    }

    /// Wraps a storage of the same device as an array of this array's shape, in
    /// row-major order.
    pub fn dense_like(&self, storage: Shared) -> Array {
        let view = match self.is_dense() && self.offset() == 0 {
            true => self.view.clone(),
            false => Arc::new(View::dense(self.shape())),
        };
        Array { device: self.device, storage, view }
    }

    /// Returns an array with the same view of a different storage.
    pub fn with_storage(&self, device: Device, storage: Shared) -> Array {
        Array { device, storage, view: self.view.clone() }
    }

    /// Returns an array with the same storage and a different view.
    pub fn with_view(&self, view: View) -> Array {
        let (device, storage) = (self.device, self.storage.clone());
        Array { device, storage, view: Arc::new(view) }
    }

    /// Returns the device that holds the elements.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    /// Returns the view: shape, strides and offset.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the size of each axis.
    pub fn shape(&self) -> &[usize] {
        self.view.shape()
    }

    /// Returns the distance between neighbors along each axis, in elements.
    pub fn strides(&self) -> &[isize] {
        self.view.strides()
    }

    /// Returns the position of the first element in the storage.
    pub fn offset(&self) -> usize {
        self.view.offset()
    }

    /// Returns the storage that this array views.
    pub fn storage(&self) -> &Shared {
        &self.storage
    }

    /// Returns `true` if both arrays view the same storage.
    pub fn shares_storage(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.storage, &other.storage)
    }

    /// Returns the number of elements in the view.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Returns `true` if the view has no elements.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Returns `true` if the elements are contiguous and in row-major order.
    #[doc(alias = "is_contiguous")]
    pub fn is_dense(&self) -> bool {
        self.view.is_dense()
    }

    /// Forces evaluation on a lazy device.
    pub fn realize(&self) -> Result<()> {
        self.device.backend()?.realize(self)
    }

    /// Returns the error of a deferred computation that one of these arrays
    /// depends on, if it has failed.
    pub fn check_all<'a>(
        arrays: impl IntoIterator<Item = &'a Array>,
    ) -> Result<()> {
        let arrays: Vec<&Array> = arrays.into_iter().collect();
        for same in arrays.chunk_by(|a, b| a.device == b.device) {
            same[0].device.backend()?.check(same)?;
        }
        Ok(())
    }

    /// Copies the elements to the host in row-major order. If the view covers
    /// only part of the storage, the elements are first copied on the device,
    /// so that nothing else is transferred.
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        self.to_vec_of()
    }

    /// Copies the elements to the host as `T`. Fails if they would have to be
    /// rounded; call [`Array::to_dtype`] to round them explicitly.
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

    /// Copies the elements to the host, rounding them to `T` if necessary.
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

    /// Starts to copy `f32` elements to the host, in row-major order. The
    /// program continues while the device computes them.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Array, Device};
    /// let read = Array::full(&[2], 3.0, Device::Cpu)?.start_read()?;
    /// let mut values = vec![1.0];
    /// read.append_to(&mut values)?;
    /// assert_eq!(values, [1.0, 3.0, 3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn start_read(&self) -> Result<PendingRead> {
        if self.is_empty() || self.dtype() != DType::F32 {
            return Ok(PendingRead::ready(self.to_vec()?));
        }
        let backend = self.device.backend()?;
        let is_whole = self.is_dense() && self.len() == self.storage.len();
        let source = match is_whole {
            true => Arc::clone(&self.storage),
            false => backend.copy(self)?,
        };
        let read = backend.start_download(&*source)?;
        Ok(PendingRead { _source: Some(source), ..read })
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

    /// Converts the elements to another type, rounding to nearest. If the view
    /// repeats elements, each stored element is converted once.
    pub fn to_dtype(&self, dtype: DType) -> Result<Array> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let backend = self.device.backend()?;
        let n = self.storage.len();
        if n > self.len() || self.is_empty() {
            let storage = backend.cast(self, dtype)?;
            return self.dense_like(storage).check_dtype(dtype);
        }
        let all = self.with_view(View::dense(&[n]));
        let all = Array { storage: backend.cast(&all, dtype)?, ..self.clone() };
        all.check_dtype(dtype)
    }
}

// Views: these move no data.
impl Array {
    /// Broadcasts axes of size 1; see [`View::expand`].
    pub fn expand(&self, shape: &[usize]) -> Result<Array> {
        if shape == self.shape() {
            return Ok(self.clone());
        }
        self.view.expand(shape).map(|view| self.with_view(view))
    }

    /// Reorders the axes; see [`View::permute`].
    pub fn permute(&self, axes: &[usize]) -> Result<Array> {
        self.view.permute(axes).map(|view| self.with_view(view))
    }

    /// Selects a range of each axis; see [`View::slice`].
    pub fn slice(&self, spans: impl Spans) -> Result<Array> {
        self.view.slice(spans).map(|view| self.with_view(view))
    }

    /// Reverses the given axes; see [`View::flip`].
    pub fn flip(&self, axes: &[usize]) -> Result<Array> {
        self.view.flip(axes).map(|view| self.with_view(view))
    }
}

// ANCHOR: reshape
// These copy only if they cannot avoid it.
impl Array {
    /// Returns an array with the same elements, in row-major order, in a new
    /// shape. Copies only if no strides can express the result.
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

    /// Returns the elements in contiguous row-major order. Copies only if they
    /// are not contiguous already.
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
    /// Overwrites part of the array. Arrays are values: if other arrays share
    /// the storage, it is copied first, so that they keep the old elements.
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
        check_same_kind("set", self, values)?;
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
            values.map(|values| {
                shape::nested(self.shape(), &values, f.precision())
            })
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
