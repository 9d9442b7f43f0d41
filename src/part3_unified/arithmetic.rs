//! What computes on arrays, built in "Eight functions, one dispatch": each
//! checks what it is given, and the backend of the device fills a new storage.

use super::backend::{cpu, gpu};
use super::{Array, Backend, Binary, Device, Reduce, Shared, Unary};
use crate::checks;
use crate::error::Result;
use crate::ops::Keep;
use crate::shape::{size, with_ones};

// ANCHOR: backend
impl Device {
    /// Who computes there. An OpenCL device may refuse to open.
    pub fn backend(self) -> Result<&'static dyn Backend> {
        Ok(match self {
            Device::Cpu => &cpu::Cpu,
            Device::Gpu(i) => gpu::OpenCl::open(i)?,
            Device::Custom(custom) => custom.backend(),
        })
    }
}
// ANCHOR_END: backend

impl Array {
    /// `op` of each element.
    pub fn unary(&self, op: Unary) -> Result<Array> {
        self.mapped(|backend| backend.unary(op, self))
    }
}

// ANCHOR: binary
impl Array {
    /// `op` of each pair of elements of two equal shapes on one device.
    pub fn binary(&self, op: Binary, other: &Array) -> Result<Array> {
        self.check_pair(op.name(), other)?;
        self.mapped(|backend| backend.binary(op, self, other))
    }
}
// ANCHOR_END: binary

impl Array {
    /// From each place the element of `a` where this is not 0, and that of
    /// `b` where it is.
    pub fn choose(&self, a: &Array, b: &Array) -> Result<Array> {
        self.check_pair("where", a)?;
        self.check_pair("where", b)?;
        self.mapped(|backend| backend.choose(self, a, b))
    }
}

// ANCHOR: filled
impl Array {
    /// Two operands on one device, of one shape.
    fn check_pair(&self, op: &str, other: &Array) -> Result<()> {
        one_device(op, self, other)?;
        checks::one_shape(op, self.shape(), other.shape())
    }

    /// A new dense array on this one's device, of this one's shape.
    fn mapped(
        &self,
        fill: impl FnOnce(&dyn Backend) -> Result<Shared>,
    ) -> Result<Array> {
        Ok(self.dense_like(fill(self.device.backend()?)?))
    }

    /// The same of any shape.
    pub(super) fn filled(
        &self,
        shape: &[usize],
        fill: impl FnOnce(&dyn Backend) -> Result<Shared>,
    ) -> Result<Array> {
        let storage = fill(self.device.backend()?)?;
        Ok(Array::dense(self.device, storage, shape))
    }
}
// ANCHOR_END: filled

impl Array {
    /// All elements along some axes into one. What is kept comes first, what
    /// is reduced last, and the backend sees rows.
    pub fn reduce(
        &self,
        op: Reduce,
        axes: &[usize],
        keep: Keep,
    ) -> Result<Array> {
        checks::axes(op.name(), self.shape(), axes)?;
        let kept = (0..self.shape().len()).filter(|i| !axes.contains(i));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let rows = self.permute(&order)?;
        let outer = order.len() - axes.len();
        let count = size(&rows.shape()[..outer]);
        let columns = size(&rows.shape()[outer..]);
        if op == Reduce::Max {
            checks::some_elements(op.name(), self.shape(), axes)?;
        }
        let left = self.filled(&rows.shape()[..outer], |backend| {
            backend.reduce(op, &rows, count, columns)
        })?;
        match keep {
            Keep::No => Ok(left),
            Keep::Yes => left.reshape(&with_ones(self.shape(), axes)),
        }
    }
}

impl Array {
    /// The product of each matrix of a batch with its partner:
    /// (.., m, k) x (.., k, n) -> (.., m, n), the axes in front equal.
    pub fn matmul(&self, other: &Array) -> Result<Array> {
        one_device("matmul", self, other)?;
        let shape = checks::product(self.shape(), other.shape())?;
        let outer = &self.shape()[..self.shape().len() - 2];
        let batch = |a: &Array| {
            let inner = a.shape()[outer.len()..].iter().copied();
            let flat = std::iter::once(size(outer)).chain(inner);
            a.reshape(&flat.collect::<Vec<_>>())
        };
        let (a, b) = (batch(self)?, batch(other)?);
        self.filled(&shape, |backend| backend.matmul(&a, &b))
    }
}

impl Array {
    /// The product of views of any axes:
    /// (batch.., rows.., inner..) x (batch.., columns.., inner..) ->
    /// (batch.., rows.., columns..), so many axes being those of the batch,
    /// and so many those that are summed over. No view is copied for it where
    /// the backend can do without.
    pub fn contract(
        &self,
        other: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Array> {
        one_device("contract", self, other)?;
        let (a, b) = (self.shape(), other.shape());
        let shape = checks::contraction(a, b, batch, inner)?;
        self.filled(&shape, |backend| {
            backend.contract(self, other, batch, inner)
        })
    }
}

/// Two operands on one device.
pub(super) fn one_device(op: &str, a: &Array, b: &Array) -> Result<()> {
    checks::one_device(op, [a.device, b.device], "move one with .to(..)")
}
