//! The operations that compute on arrays, built in "Eight functions, one
//! dispatch". Each checks its operands and lets the device's backend compute a
//! new storage.

use smallvec::SmallVec;

use super::{Array, Backend, Binary, Reduce, Shared, Unary};
use crate::checks;
use crate::error::{Error, Result};
use crate::ledger;
use crate::ops::Keep;
use crate::shape::{keepdims, size};

impl Array {
    /// Applies `op` to each element.
    pub fn unary(&self, op: Unary) -> Result<Array> {
        self.mapped(|backend| backend.unary(op, self))
    }
}

// ANCHOR: binary
impl Array {
    /// Applies `op` to each pair of elements. Both arrays must have the same
    /// shape and device.
    pub fn binary(&self, op: Binary, other: &Array) -> Result<Array> {
        self.check_pair(op.name(), other)?;
        self.mapped(|backend| backend.binary(op, self, other))
    }
}
// ANCHOR_END: binary

impl Array {
    /// Takes each element from `a` where `self` is nonzero, and from `b` where
    /// it is zero.
    pub fn where_cond(&self, a: &Array, b: &Array) -> Result<Array> {
        self.check_pair("where_cond", a)?;
        self.check_pair("where_cond", b)?;
        self.mapped(|backend| backend.where_cond(self, a, b))
    }
}

// ANCHOR: filled
impl Array {
    /// Checks that two operands have the same device, type and shape.
    pub fn check_pair(&self, op: &str, other: &Array) -> Result<()> {
        check_same_kind(op, self, other)?;
        checks::same_shape(op, self.shape(), other.shape())
    }

    /// Creates a dense array with this array's shape and device; `fill`
    /// computes its storage.
    pub fn mapped(
        &self,
        fill: impl FnOnce(&dyn Backend) -> Result<Shared>,
    ) -> Result<Array> {
        Ok(self.dense_like(fill(self.device.backend()?)?))
    }

    /// Creates a dense array with the given shape on this array's device;
    /// `fill` computes its storage.
    pub fn filled(
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
    /// Reduces the given axes. They are moved to the end, so that the backend
    /// only ever reduces the rows of a matrix.
    pub fn reduce(
        &self,
        op: Reduce,
        axes: &[usize],
        keep: Keep,
    ) -> Result<Array> {
        checks::axes(op.name(), self.shape(), axes)?;
        let kept = (0..self.shape().len()).filter(|i| !axes.contains(i));
        let order: SmallVec<[usize; 4]> =
            kept.chain(axes.iter().copied()).collect();
        let matrix = if order.is_sorted() {
            self.clone()
        } else {
            self.permute(&order)?
        };
        let outer = order.len() - axes.len();
        let rows = size(&matrix.shape()[..outer]);
        let columns = size(&matrix.shape()[outer..]);
        if op == Reduce::Max {
            checks::not_empty(op.name(), self.shape(), axes)?;
        }
        let reduced = self.filled(&matrix.shape()[..outer], |backend| {
            backend.reduce(op, &matrix, rows, columns)
        })?;
        match keep {
            Keep::No => Ok(reduced),
            Keep::Yes => reduced.reshape(&keepdims(self.shape(), axes)),
        }
    }
}

impl Array {
    /// Computes the gradient of `max`: splits `grads` equally among tied
    /// maxima. `most` and `grads` have this array's shape with size 1 on the
    /// reduced axes.
    pub fn max_backward(
        &self,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Array> {
        checks::axes("max_backward", self.shape(), axes)?;
        let shape = keepdims(self.shape(), axes);
        for rows in [most, grads] {
            check_same_kind("max_backward", self, rows)?;
            checks::same_shape("max_backward", &shape, rows.shape())?;
        }
        self.mapped(|backend| backend.max_backward(self, most, grads, axes))
    }
}

impl Array {
    /// Multiplies two batches of matrices:
    /// (.., m, k) x (.., k, n) -> (.., m, n). The leading axes must be equal.
    pub fn matmul(&self, other: &Array) -> Result<Array> {
        check_same_kind("matmul", self, other)?;
        let shape = checks::matmul(self.shape(), other.shape())?;
        let outer = &self.shape()[..self.shape().len() - 2];
        let batch = |a: &Array| {
            let inner = a.shape()[outer.len()..].iter().copied();
            let flat = std::iter::once(size(outer)).chain(inner);
            a.reshape(&flat.collect::<Vec<_>>())
        };
        let (a, b) = (batch(self)?, batch(other)?);
        count_multiplications(&shape, &self.shape()[self.shape().len() - 1..]);
        self.filled(&shape, |backend| backend.matmul(&a, &b))
    }
}

/// Adds the number of scalar multiplications of a matrix product to the
/// ledger: `inner` for each element of the result.
fn count_multiplications(shape: &[usize], inner: &[usize]) {
    let products = size(shape) as u64 * size(inner) as u64;
    ledger::count(|counts| counts.products += products);
}

impl Array {
    /// Generalized matmul (a tensor contraction):
    /// (batch.., rows.., inner..) x (batch.., columns.., inner..) -> (batch..,
    /// rows.., columns..). The first `batch` axes are batched, and the last
    /// `inner` axes are summed over. The views are not copied if the backend
    /// supports them as they are.
    pub fn contract(
        &self,
        other: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Array> {
        check_same_kind("contract", self, other)?;
        let (a, b) = (self.shape(), other.shape());
        let shape = checks::contract(a, b, batch, inner)?;
        count_multiplications(&shape, &a[a.len() - inner..]);
        self.filled(&shape, |backend| {
            backend.contract(self, other, batch, inner)
        })
    }
}

impl Array {
    /// Computes the logarithm of the softmax along the last axis.
    pub fn log_softmax(&self) -> Result<Array> {
        self.map_rows(|backend, rows| backend.log_softmax(rows))
    }

    /// Computes the gradient of [`Array::log_softmax`]; `self` is its result.
    pub fn log_softmax_grads(&self, grad_out: &Array) -> Result<Array> {
        self.check_pair("log_softmax_grads", grad_out)?;
        self.map_rows(|backend, rows| {
            let grads = grad_out.compact()?.reshape(rows.shape())?;
            backend.log_softmax_grads(rows, &grads)
        })
    }

    /// Calls `compute` with the array as a dense matrix whose rows are the
    /// last axis.
    pub fn map_rows(
        &self,
        compute: impl FnOnce(&dyn Backend, &Array) -> Result<Shared>,
    ) -> Result<Array> {
        if self.is_empty() {
            return Ok(self.clone());
        }
        let columns = self.shape()[self.shape().len() - 1];
        let rows = self.compact()?.reshape(&[self.len() / columns, columns])?;
        self.filled(self.shape(), |backend| compute(backend, &rows))
    }
}

// ANCHOR: alike
/// Checks that two operands have the same device and element type.
pub fn check_same_kind(op: &str, a: &Array, b: &Array) -> Result<()> {
    checks::same_device(op, [a.device, b.device], "move one with .to(..)")?;
    match a.dtype() == b.dtype() {
        true => Ok(()),
        false => Err(Error::DTypeMismatch {
            op: op.to_string(),
            left: a.dtype().to_string(),
            right: b.dtype().to_string(),
        }),
    }
}
// ANCHOR_END: alike
