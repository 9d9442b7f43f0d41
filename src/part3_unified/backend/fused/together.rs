//! Sums that are put off until a step asks for many of them, which then take
//! one launch: horizontal fusion.

use std::sync::PoisonError;

use super::super::gpu::{ColumnSums, OpenCl};
use super::lazy::{Lazy, State, What};
use super::schedule::late;
use super::{Array, Fused, Reduce, Shared, downcast, is_single};
use crate::error::Result;

impl Fused {
    /// Returns the device below where it takes such sums together.
    fn sums_of(&self, a: &Array) -> Result<Option<&'static OpenCl>> {
        Ok(self.gpu()?.filter(|_| is_single(a)))
    }

    /// Wishes for the sums down the columns of a matrix.
    fn sums(&self, a: &Array, columns: usize) -> Result<Shared> {
        let rows = a.len() / columns;
        let a = a.reshape(&[rows, columns])?.permute(&[1, 0])?;
        self.wish(What::Join(Reduce::Sum, a, [columns, rows]), &[columns])
    }

    // ANCHOR: product
    /// Multiplies. What comes in parts is put off until somebody wants their
    /// sum.
    pub(super) fn product(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let Some(gpu) = self.sums_of(a)? else {
            return self
                .now([a, b], |base, [a, b]| base.contract(a, b, batch, inner));
        };
        let (out, parts) = self.handed_on([a, b], |_, [a, b]| {
            gpu.product_in_parts(a, b, batch, inner)
        })?;
        let out = Lazy::ready(out);
        if parts == 1 {
            return Ok(out);
        }
        let n = out.len() / parts;
        self.sums(&Array::dense(a.device(), out, &[parts, n]), n)
    }
    // ANCHOR_END: product

    /// Computes the gradients of [`Backend::layer_norm`](super::Backend). Those
    /// of the weight and of the bias are sums, which can wait.
    pub(super) fn norm_grads(
        &self,
        of: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        let [a, grad_out, weight] = of;
        let columns = weight.len();
        let is_short =
            |gpu: &&OpenCl| gpu.can_share_launch(a.len() / columns, columns);
        let Some(gpu) = self.sums_of(a)?.filter(is_short) else {
            let made = self
                .handed_on(of, |base, of| base.layer_norm_grads(of, epsilon))?;
            return Ok(made.map(Lazy::ready));
        };
        let made = self.handed_on(of, |_, of| gpu.norm_slopes(of, epsilon))?;
        let [slopes, of_weight] = made.map(Lazy::ready);
        let of_weight = a.dense_like(of_weight);
        Ok([
            slopes,
            self.sums(&of_weight, columns)?,
            self.sums(grad_out, columns)?,
        ])
    }

    /// Computes together what of these are sums down the columns of matrices
    /// that are there.
    pub(super) fn compute_sums<'a>(
        &self,
        arrays: impl Iterator<Item = &'a Array>,
    ) -> Result<()> {
        let Some(gpu) = self.gpu()? else { return Ok(()) };
        let _one = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut wishes, mut sums) = (vec![], vec![]);
        let mut caller = None;
        for array in arrays {
            let lazy = downcast::<Lazy>(&**array.storage());
            let State::Waiting(wish) = &*lazy.state() else { continue };
            let What::Join(Reduce::Sum, a, [rows, _]) = &wish.what else {
                continue;
            };
            let there = downcast::<Lazy>(&**a.storage()).there();
            let Some(storage) = there else { continue };
            let a = Array { device: self.base, storage, view: a.view.clone() };
            if let Some(sum) = ColumnSums::new(a, *rows) {
                caller = caller.or(wish.caller);
                wishes.push(lazy);
                sums.push(sum);
            }
        }
        if sums.len() > 1 {
            let made = gpu.column_sums(&sums);
            let made = made.map_err(|error| late(error, caller))?;
            for (lazy, made) in wishes.into_iter().zip(made) {
                *lazy.state() = State::Ready(made);
            }
        }
        Ok(())
    }
}
