//! Horizontal fusion: column sums are deferred until an optimizer step needs
//! many of them, which then share a launch.

use std::sync::PoisonError;

use super::node::{Lazy, LazyOp, State};
use super::schedule::with_caller;
use super::{Array, Fused, Reduce, Shared, downcast, is_f32};
use crate::engine::opencl::{ColumnSums, OpenCl};
use crate::error::Result;

impl Fused {
    /// Returns the base device if it can compute the column sums of several
    /// such arrays in one launch.
    fn gpu_for_sums(&self, a: &Array) -> Result<Option<&'static OpenCl>> {
        Ok(self.gpu()?.filter(|_| is_f32(a)))
    }

    /// Defers the column sums of a matrix.
    fn column_sums(&self, a: &Array, columns: usize) -> Result<Shared> {
        let rows = a.len() / columns;
        let a = a.reshape(&[rows, columns])?.permute(&[1, 0])?;
        self.defer(LazyOp::Reduce(Reduce::Sum, a, [columns, rows]), &[columns])
    }

    /// Multiplies. If the base device splits `k`, the sum of the parts is
    /// deferred.
    pub(super) fn product(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let Some(gpu) = self.gpu_for_sums(a)? else {
            return self
                .now([a, b], |base, [a, b]| base.contract(a, b, batch, inner));
        };
        let (out, parts) = self.on_base([a, b], |_, [a, b]| {
            gpu.product_in_parts(a, b, batch, inner)
        })?;
        let out = Lazy::ready(out);
        if parts == 1 {
            return Ok(out);
        }
        let n = out.len() / parts;
        self.column_sums(&Array::dense(a.device(), out, &[parts, n]), n)
    }

    /// Computes the gradients of
    /// [`Backend::layer_norm`](super::Backend::layer_norm). The gradients of
    /// the weight and of the bias are column sums, which are deferred.
    pub(super) fn norm_grads(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        let [a, grad_out, weight] = operands;
        let columns = weight.len();
        let is_short =
            |gpu: &&OpenCl| gpu.can_share_launch(a.len() / columns, columns);
        let Some(gpu) = self.gpu_for_sums(a)?.filter(is_short) else {
            let grads = self.on_base(operands, |base, operands| {
                base.layer_norm_grads(operands, epsilon)
            })?;
            return Ok(grads.map(Lazy::ready));
        };
        let results = self.on_base(operands, |_, operands| {
            gpu.norm_grad_terms(operands, epsilon)
        })?;
        let [grads, weight_terms] = results.map(Lazy::ready);
        let weight_terms = a.dense_like(weight_terms);
        Ok([
            grads,
            self.column_sums(&weight_terms, columns)?,
            self.column_sums(grad_out, columns)?,
        ])
    }

    /// Finds the arrays that are column sums of evaluated matrices, and
    /// computes them in shared launches.
    pub(super) fn compute_sums<'a>(
        &self,
        arrays: impl Iterator<Item = &'a Array>,
    ) -> Result<()> {
        let Some(gpu) = self.gpu()? else { return Ok(()) };
        let _guard =
            self.schedules.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut pending, mut sums) = (vec![], vec![]);
        let mut caller = None;
        for array in arrays {
            let lazy = downcast::<Lazy>(&**array.storage());
            let State::Pending(node) = &*lazy.state() else { continue };
            let LazyOp::Reduce(Reduce::Sum, a, [rows, _]) = &node.op else {
                continue;
            };
            let evaluated = downcast::<Lazy>(&**a.storage()).evaluated();
            let Some(storage) = evaluated else { continue };
            let a = a.with_storage(self.base, storage);
            if let Some(sum) = ColumnSums::new(a, *rows) {
                caller = caller.or(node.caller);
                pending.push(lazy);
                sums.push(sum);
            }
        }
        if sums.len() > 1 {
            let results = gpu.column_sums(&sums);
            let results =
                results.map_err(|error| with_caller(error, caller))?;
            for (lazy, result) in pending.into_iter().zip(results) {
                *lazy.state() = State::Ready(result);
            }
        }
        Ok(())
    }
}
