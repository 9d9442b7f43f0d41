//! What computes on arrays, built in "Eight functions, one dispatch": each
//! checks what it is given, and the backend of the device fills a new storage.

use smallvec::SmallVec;

use super::backend::{cpu, fused, gpu};
use super::{AdamStep, Array, Backend, Binary, Device, Reduce, Shared, Unary};
use crate::checks;
use crate::error::{Error, Result};
use crate::ledger;
use crate::ops::Keep;
use crate::shape::{keepdims, size};

// ANCHOR: backend
impl Device {
    /// Returns the backend that computes there. An OpenCL device may refuse to
    /// open.
    pub fn backend(self) -> Result<&'static dyn Backend> {
        Ok(match self {
            Device::Cpu => &cpu::Cpu,
            Device::Gpu(i) => gpu::OpenCl::open(i)?,
            Device::Fused(i) => fused::Fused::open(i)?,
            Device::FusedCpu => fused::Fused::on_the_processor(),
            Device::Custom(custom) => custom.backend(),
        })
    }
}
// ANCHOR_END: backend

impl Array {
    /// Applies `op` to each element.
    pub fn unary(&self, op: Unary) -> Result<Array> {
        self.mapped(|backend| backend.unary(op, self))
    }
}

// ANCHOR: binary
impl Array {
    /// Applies `op` to each pair of elements of two equal shapes on one
    /// device.
    pub fn binary(&self, op: Binary, other: &Array) -> Result<Array> {
        self.check_pair(op.name(), other)?;
        self.mapped(|backend| backend.binary(op, self, other))
    }
}
// ANCHOR_END: binary

impl Array {
    /// Takes each element from `a` where this is not 0, and from `b` where it
    /// is.
    pub fn where_cond(&self, a: &Array, b: &Array) -> Result<Array> {
        self.check_pair("where_cond", a)?;
        self.check_pair("where_cond", b)?;
        self.mapped(|backend| backend.where_cond(self, a, b))
    }
}

impl Array {
    /// Takes a step of Adam from a parameter, given its gradient and the
    /// running means of its gradients and of their squares: returns the next
    /// parameter and the next of both.
    pub fn adam_step(
        &self,
        grad: &Array,
        [mean, square]: [&Array; 2],
        step: &AdamStep,
    ) -> Result<[Array; 3]> {
        let mut made = step.take(&[[self, grad, mean, square]])?;
        Ok(made.swap_remove(0))
    }
}

impl AdamStep {
    /// Takes it from several parameters of one device and type, each with its
    /// gradient, its running mean and its running mean square: returns for each
    /// the next parameter, mean and mean square.
    pub fn take(&self, of: &[[&Array; 4]]) -> Result<Vec<[Array; 3]>> {
        let Some([first, ..]) = of.first() else { return Ok(Vec::new()) };
        for [x, others @ ..] in of {
            alike("adam_step", first, x)?;
            for other in others {
                x.check_pair("adam_step", other)?;
            }
        }
        first.device.backend()?.adam_step(self, of)
    }
}

// ANCHOR: filled
impl Array {
    /// Checks that two operands are alike and of one shape.
    fn check_pair(&self, op: &str, other: &Array) -> Result<()> {
        alike(op, self, other)?;
        checks::same_shape(op, self.shape(), other.shape())
    }

    /// Makes a new dense array on this one's device, of this one's shape.
    fn mapped(
        &self,
        fill: impl FnOnce(&dyn Backend) -> Result<Shared>,
    ) -> Result<Array> {
        Ok(self.dense_like(fill(self.device.backend()?)?))
    }

    /// Makes one of any shape.
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
    /// Reduces all elements along some axes to one. What is kept comes first,
    /// what is reduced last, and the backend sees rows.
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
        let rows = match order.is_sorted() {
            true => self.clone(),
            false => self.permute(&order)?,
        };
        let outer = order.len() - axes.len();
        let count = size(&rows.shape()[..outer]);
        let columns = size(&rows.shape()[outer..]);
        if op == Reduce::Max {
            checks::not_empty(op.name(), self.shape(), axes)?;
        }
        let left = self.filled(&rows.shape()[..outer], |backend| {
            backend.reduce(op, &rows, count, columns)
        })?;
        match keep {
            Keep::No => Ok(left),
            Keep::Yes => left.reshape(&keepdims(self.shape(), axes)),
        }
    }
}

impl Array {
    /// Gives what the largest over some axes got to those that are as large,
    /// in equal shares. Both have this shape with 1 for those axes.
    pub fn max_share(
        &self,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Array> {
        checks::axes("max_share", self.shape(), axes)?;
        let shape = keepdims(self.shape(), axes);
        for rows in [most, grads] {
            alike("max_share", self, rows)?;
            checks::same_shape("max_share", &shape, rows.shape())?;
        }
        self.mapped(|backend| backend.max_share(self, most, grads, axes))
    }
}

impl Array {
    /// Multiplies each matrix of a batch with its partner:
    /// (.., m, k) x (.., k, n) -> (.., m, n), the axes in front equal.
    pub fn matmul(&self, other: &Array) -> Result<Array> {
        alike("matmul", self, other)?;
        let shape = checks::matmul(self.shape(), other.shape())?;
        let outer = &self.shape()[..self.shape().len() - 2];
        let batch = |a: &Array| {
            let inner = a.shape()[outer.len()..].iter().copied();
            let flat = std::iter::once(size(outer)).chain(inner);
            a.reshape(&flat.collect::<Vec<_>>())
        };
        let (a, b) = (batch(self)?, batch(other)?);
        count(&shape, &self.shape()[self.shape().len() - 1..]);
        self.filled(&shape, |backend| backend.matmul(&a, &b))
    }
}

/// Counts the multiplications of a product: for each element of the result as
/// many as its sum has.
fn count(shape: &[usize], inner: &[usize]) {
    let products = size(shape) as u64 * size(inner) as u64;
    ledger::count(|counts| counts.products += products);
}

impl Array {
    /// Multiplies views of any axes: (batch.., rows.., inner..) x (batch..,
    /// columns.., inner..) -> (batch.., rows.., columns..), so many axes being
    /// those of the batch, and so many those that are summed over. No view is
    /// copied for it where the backend can do without.
    pub fn contract(
        &self,
        other: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Array> {
        alike("contract", self, other)?;
        let (a, b) = (self.shape(), other.shape());
        let shape = checks::contract(a, b, batch, inner)?;
        count(&shape, &a[a.len() - inner..]);
        self.filled(&shape, |backend| {
            backend.contract(self, other, batch, inner)
        })
    }
}

impl Array {
    /// Computes the shares that scores have in their rows, which go along the
    /// last axis.
    pub fn softmax(&self) -> Result<Array> {
        self.by_rows(|backend, rows| backend.softmax(rows))
    }

    /// Computes the logarithms of these shares.
    pub fn log_softmax(&self) -> Result<Array> {
        self.by_rows(|backend, rows| backend.log_softmax(rows))
    }

    /// Computes what comes back through these logarithms.
    pub fn log_softmax_grads(&self, grad_out: &Array) -> Result<Array> {
        self.check_pair("log_softmax_grads", grad_out)?;
        self.by_rows(|backend, rows| {
            let grads = grad_out.compact()?.reshape(rows.shape())?;
            backend.log_softmax_grads(rows, &grads)
        })
    }

    /// Computes what comes back through gelu.
    pub fn gelu_grads(&self, grad_out: &Array) -> Result<Array> {
        self.check_pair("gelu_grads", grad_out)?;
        self.mapped(|backend| backend.gelu_grads(self, grad_out))
    }

    /// Computes something of the same shape from a dense matrix of the rows.
    fn by_rows(
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
/// Checks that two operands are on one device, and of one type of numbers.
pub(super) fn alike(op: &str, a: &Array, b: &Array) -> Result<()> {
    checks::same_device(op, [a.device, b.device], "move one with .to(..)")?;
    match a.dtype() == b.dtype() {
        true => Ok(()),
        false => Err(Error::Mistake(format!(
            "{op}: the operands are of two types, {} and {}; change one with \
             .to_dtype(..)",
            a.dtype(),
            b.dtype()
        ))),
    }
}
// ANCHOR_END: alike
