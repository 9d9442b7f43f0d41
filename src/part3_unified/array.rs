//! A storage seen through shape, strides and offset, built in chapter 24.
//!
//! A view costs nothing: `expand` and `reshape` only change how the same
//! numbers are reached. `compact` is the one that copies.

use std::sync::Arc;

use super::{Binary, Device, Storage, Unary};
use crate::error::Error;
use crate::shape::{checked_size, size, strides};

/// Numbers on a device, and the way to walk them.
#[derive(Clone, Debug)]
pub struct Array {
    device: Device,
    storage: Arc<Storage>,
    shape: Vec<usize>,
    /// In elements; 0 repeats the same number along an axis.
    strides: Vec<isize>,
    /// Where the first element lies.
    offset: usize,
}

impl Array {
    /// An array with these elements in row-major order.
    pub fn new(
        shape: &[usize],
        values: &[f32],
        device: Device,
    ) -> Result<Array, Error> {
        let size = checked_size(shape)?;
        if size != values.len() {
            return Err(Error::Mistake(format!(
                "shape {shape:?} holds {size} elements, but {} values were \
                 given; make the two agree",
                values.len()
            )));
        }
        let storage = device.backend()?.upload(values)?;
        Ok(Array::dense(device, storage, shape))
    }

    /// An array that is one value everywhere: a single number in memory.
    pub fn full(
        shape: &[usize],
        value: f32,
        device: Device,
    ) -> Result<Array, Error> {
        Array::new(&[], &[value], device)?.expand(shape)
    }

    fn dense(device: Device, storage: Storage, shape: &[usize]) -> Array {
        let (strides, shape) = (strides(shape), shape.to_vec());
        Array { device, storage: Arc::new(storage), shape, strides, offset: 0 }
    }

    /// The device that holds the numbers.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The size along each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How far apart, in elements, neighbors along each axis lie.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Where in the storage the first element lies.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The memory behind this view.
    pub fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The number of elements that the view shows.
    pub fn len(&self) -> usize {
        size(&self.shape)
    }

    /// Whether the view shows no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the elements lie one after another from the first on.
    pub fn is_dense(&self) -> bool {
        self.strides == strides(&self.shape)
    }

    /// The elements in row-major order, on the host.
    pub fn to_vec(&self) -> Result<Vec<f32>, Error> {
        let dense = self.compact()?;
        let all = dense.device.backend()?.download(&dense.storage)?;
        Ok(all[dense.offset..][..dense.len()].to_vec())
    }
}

// Views: no element moves.
impl Array {
    /// The same elements, repeated along axes of size 1 and along new axes
    /// in front, by strides of 0.
    pub fn expand(&self, shape: &[usize]) -> Result<Array, Error> {
        checked_size(shape)?;
        if !stretches(&self.shape, shape) {
            return Err(Error::Mistake(format!(
                "expand: {:?} does not stretch to {shape:?}; aligned at the \
                 right, each size must be equal or 1",
                self.shape
            )));
        }
        let new = shape.len() - self.shape.len();
        let mut strides = vec![0; new];
        for (axis, &own) in self.shape.iter().enumerate() {
            let same = shape[new + axis] == own;
            strides.push(if same { self.strides[axis] } else { 0 });
        }
        Ok(Array { shape: shape.to_vec(), strides, ..self.clone() })
    }

    /// The axes in another order: axis `i` of the result is `axes[i]` here.
    pub fn permute(&self, axes: &[usize]) -> Result<Array, Error> {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        if sorted != (0..self.shape.len()).collect::<Vec<_>>() {
            return Err(Error::Mistake(format!(
                "permute: {axes:?} does not name each of the {} axes once",
                self.shape.len()
            )));
        }
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Ok(Array { shape, strides, ..self.clone() })
    }

    /// The same elements in row-major order under another shape; copies
    /// only when they do not lie in a row.
    pub fn reshape(&self, shape: &[usize]) -> Result<Array, Error> {
        let size = checked_size(shape)?;
        if size != self.len() {
            return Err(Error::Mistake(format!(
                "reshape: {:?} has {} elements, {shape:?} has {size}; keep \
                 the number of elements",
                self.shape,
                self.len()
            )));
        }
        let dense = self.compact()?;
        Ok(Array { strides: strides(shape), shape: shape.to_vec(), ..dense })
    }

    /// The same elements one after another; copies only when they are not.
    pub fn compact(&self) -> Result<Array, Error> {
        if self.is_dense() {
            return Ok(self.clone());
        }
        let storage = self.device.backend()?.copy(self)?;
        Ok(Array::dense(self.device, storage, &self.shape))
    }
}

// Computation: the backend of the device fills a new storage.
impl Array {
    /// `op` of each element.
    pub fn unary(&self, op: Unary) -> Result<Array, Error> {
        let storage = self.device.backend()?.unary(op, self)?;
        Ok(Array::dense(self.device, storage, &self.shape))
    }

    /// `op` of each pair of elements of two equal shapes on one device.
    pub fn binary(&self, op: Binary, other: &Array) -> Result<Array, Error> {
        let name = op.name();
        if self.device != other.device {
            return Err(Error::Mistake(format!(
                "{name}: the operands are on two devices, {} and {}; move \
                 one with .to(..)",
                self.device, other.device
            )));
        }
        if self.shape != other.shape {
            return Err(Error::Mistake(format!(
                "{name}: the shapes {:?} and {:?} differ; give both operands \
                 the same shape",
                self.shape, other.shape
            )));
        }
        let storage = self.device.backend()?.binary(op, self, other)?;
        Ok(Array::dense(self.device, storage, &self.shape))
    }

    /// The sum over each axis along which `shape` is shorter: the mirror of
    /// [`Array::expand`].
    pub fn sum_to(&self, shape: &[usize]) -> Result<Array, Error> {
        if !stretches(shape, &self.shape) {
            return Err(Error::Mistake(format!(
                "sum: {:?} does not sum to {shape:?}; aligned at the right, \
                 each size must be equal or 1",
                self.shape
            )));
        }
        let new = self.shape.len() - shape.len();
        let is_kept = |&axis: &usize| {
            axis >= new && shape[axis - new] == self.shape[axis]
        };
        let (kept, lost): (Vec<usize>, Vec<usize>) =
            (0..self.shape.len()).partition(is_kept);
        let axes: Vec<usize> = kept.into_iter().chain(lost).collect();
        let rows = size(shape);
        let columns = match rows {
            0 => 0,
            _ => self.len() / rows,
        };
        let dense = self.permute(&axes)?.compact()?;
        let storage = self.device.backend()?.sum_rows(&dense, rows, columns)?;
        Ok(Array::dense(self.device, storage, shape))
    }

    /// The same elements on another device.
    pub fn to(&self, device: Device) -> Result<Array, Error> {
        if device == self.device {
            return Ok(self.clone());
        }
        Array::new(&self.shape, &self.to_vec()?, device)
    }
}

/// Whether `small`, aligned with `large` at the right, has each size equal
/// or 1.
fn stretches(small: &[usize], large: &[usize]) -> bool {
    let pairs = small.iter().rev().zip(large.iter().rev());
    small.len() <= large.len()
        && pairs.into_iter().all(|(s, l)| s == l || *s == 1)
}
