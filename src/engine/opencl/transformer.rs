//! Self-attention, GELU's gradient and layer norm: one launch each, and two
//! for the backward pass of a layer norm or of attention over a long sequence.

use std::sync::Arc;

use super::numbers::{ArrayArgs, scalar_of};
use super::stages::MAX_SHORT_COLUMN;
use super::{Array, GROUP, Kernel, Launch, OpenCl, Reduce, Shared};
use crate::engine::kernels::{
    self, HEAD, HEAD_ITEMS, HEAD_MEMORY, HEAD_ROW, HEAD_TILE, Types,
};
use crate::error::Result;
use crate::part3_unified::DType;
use crate::part3_unified::defaults;

/// Maximum number of work-groups per launch.
const MAX_GROUPS: usize = 1 << 16;

/// Returns whether a head of one sequence fits into the local memory of a
/// work-group.
fn is_short(a: &Array, heads: usize) -> bool {
    let (positions, row) = (a.shape()[1], a.shape()[2]);
    let width = row / 3 / heads;
    let fits = positions * width <= HEAD && positions * positions <= HEAD;
    fits && heads <= HEAD && a.len() < 1 << 31
}

/// Returns the number of tiles of `n` heads.
fn tiles(a: &Array, n: usize) -> usize {
    n * a.shape()[1].div_ceil(HEAD_TILE)
}

impl OpenCl {
    /// Computes self-attention. For a short sequence, a work-group computes a
    /// head; for a long one, a tile of [`HEAD_TILE`] positions.
    pub(super) fn attend(&self, a: &Array, heads: usize) -> Result<Shared> {
        let a = a.compact()?;
        let short = is_short(&a, heads);
        if !short && !self.supports_long(&[&a], heads) {
            return defaults::self_attention(&a, heads);
        }
        let (n, positions, row) =
            (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        let (kernel, groups, items) = match short {
            true => (&kernels::ATTENTION_ROWS, n, GROUP),
            false => (&kernels::ATTENTION_LONG_ROWS, tiles(&a, n), HEAD_ITEMS),
        };
        self.fill(a.dtype(), a.len() / 3, |out| {
            self.launch(kernel, a.dtype())
                .reads(&a)
                .scalar(a.offset() as u32)
                .scalar(positions as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .writes(out)
                .scalar(n as u32)
                .global(groups.min(MAX_GROUPS) * items)
                .local(items)
                .run()
        })
    }

    /// Returns whether the kernels for long sequences support these arrays.
    /// They use `float4` loads and keep tiles in local memory.
    fn supports_long(&self, arrays: &[&Array], heads: usize) -> bool {
        let width = arrays[0].shape()[2] / 3 / heads;
        let fits = width <= HEAD_ROW && width.is_multiple_of(4);
        let are_fours = arrays.iter().all(|a| a.offset().is_multiple_of(4));
        let counted = heads <= HEAD && arrays[0].len() < 1 << 30;
        let memory = self.gpu.info().local_memory >= HEAD_MEMORY;
        let dtype = arrays[0].dtype();
        fits && are_fours && counted && memory && dtype != DType::F64
    }

    /// Computes the gradient of self-attention.
    pub(super) fn attend_back(
        &self,
        [a, seen, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        // The six arrays of a head may exceed local memory in `f64`.
        if !is_short(&a, heads) || a.dtype() == DType::F64 {
            let arrays = [&a, &seen.compact()?, &grads];
            return match self.supports_long(&arrays, heads) {
                true => self.attend_long_back(arrays, heads),
                false => defaults::self_attention_grads(&a, &grads, heads),
            };
        }
        let (n, positions, row) =
            (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        self.fill(a.dtype(), a.len(), |out| {
            self.launch(&kernels::ATTENTION_GRADS, a.dtype())
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&grads)
                .scalar(grads.offset() as u32)
                .scalar(positions as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .writes(out)
                .scalar(n as u32)
                .global(n.min(MAX_GROUPS) * GROUP)
                .local(GROUP)
                .run()
        })
    }

    /// Computes the gradient for long sequences in two launches: first of the
    /// queries, which also stores two values for each row of scores, then of
    /// the keys and values, which reads them.
    fn attend_long_back<'a>(
        &self,
        [a, seen, grads]: [&'a Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        let (n, positions, row) =
            (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        let begin = |kernel, arrays: &[&'a Array]| {
            let mut launch = self.launch(kernel, a.dtype());
            for array in arrays {
                launch = launch.reads(array).scalar(array.offset() as u32);
            }
            launch
                .scalar(positions as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .global(tiles(a, n).min(MAX_GROUPS) * HEAD_ITEMS)
                .local(HEAD_ITEMS)
        };
        self.fill(a.dtype(), a.len(), |out| {
            let measured =
                self.allocate(a.dtype().wide(), 2 * n * positions)?;
            begin(&kernels::ATTENTION_LONG_QUERIES, &[a, seen, grads])
                .writes(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()?;
            let measured = Arc::new(measured);
            let measured =
                Array::dense(a.device(), measured, &[2, n, positions]);
            begin(&kernels::ATTENTION_LONG_KEYS, &[a, grads])
                .reads(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes the gradient of GELU.
    pub(super) fn gelu_back(
        &self,
        a: &Array,
        grad_out: &Array,
    ) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        let (n, dtype) = (a.len(), a.dtype());
        self.fill(dtype, n, |out| {
            self.pieces(&kernels::GELU_GRADS, dtype, n)
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&grads)
                .scalar(grads.offset() as u32)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes the layer norm of an array with a weight and a bias.
    pub(super) fn norm(
        &self,
        [a, weight, bias]: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        let arrays = [a.compact()?, weight.compact()?, bias.compact()?];
        let (columns, dtype) = (weight.len(), a.dtype());
        let n = a.len() / columns;
        self.fill(dtype, n * columns, |out| {
            self.launch_rows(&kernels::NORM_ROWS, &arrays, columns, epsilon)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes the gradients of the array, the weight and the bias of a layer
    /// norm.
    pub(super) fn norm_back(
        &self,
        [a, grad_out, weight]: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        let arrays = [a.compact()?, grad_out.compact()?, weight.compact()?];
        let (columns, dtype) = (weight.len(), a.dtype());
        let n = a.len() / columns;
        let measured = self.allocate(dtype.wide(), 2 * n)?;
        let grads = self.fill(dtype, n * columns, |out| {
            self.launch_rows(&kernels::NORM_GRADS, &arrays, columns, epsilon)
                .writes(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()
        })?;
        let measured = Array::dense(a.device(), Arc::new(measured), &[n, 2]);
        let [bias, weight] =
            self.norm_sums([&arrays[0], &arrays[1], &measured], columns)?;
        Ok([grads, weight, bias])
    }

    /// Computes the gradient of the array, and the terms of the weight's
    /// gradient from each element. The caller sums them over the rows,
    /// together with other sums.
    pub(crate) fn norm_slopes(
        &self,
        [a, grad_out, weight]: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 2]> {
        let arrays = [a.compact()?, grad_out.compact()?, weight.compact()?];
        let (columns, dtype) = (weight.len(), a.dtype());
        let n = a.len() / columns;
        let weight_terms = self.allocate(dtype, n * columns)?;
        let grads = self.fill(dtype, n * columns, |out| {
            self.launch_rows(&kernels::NORM_SLOPES, &arrays, columns, epsilon)
                .writes(&weight_terms)
                .writes(out)
                .scalar(n as u32)
                .run()
        })?;
        Ok([grads, Arc::new(weight_terms)])
    }

    /// Prepares a launch with a row group for each row.
    fn launch_rows<'a>(
        &self,
        kernel: &Kernel,
        arrays: &'a [Array; 3],
        columns: usize,
        epsilon: f64,
    ) -> Launch<'a> {
        let dtype = arrays[0].dtype();
        let n = arrays[0].len() / columns;
        let [global, local] = self.limits().row_groups(n, columns);
        let mut launch = self.launch(kernel, dtype);
        for a in arrays {
            launch = launch.reads(a).scalar(a.offset() as u32);
        }
        launch
            .scalar(columns as u32)
            .scalar(scalar_of(dtype, epsilon))
            .global(global)
            .local(local)
    }

    /// Computes the gradients of the bias and of the weight from the array,
    /// the upstream gradient and the mean and reciprocal deviation of each
    /// row.
    fn norm_sums(
        &self,
        [a, grad_out, measured]: [&Array; 3],
        columns: usize,
    ) -> Result<[Shared; 2]> {
        let n = a.len() / columns;
        let segment = n.min(MAX_SHORT_COLUMN);
        let parts = n.div_ceil(MAX_SHORT_COLUMN);
        let types = Types::of_parts(a.dtype(), a.dtype(), parts);
        let out = || self.allocate(types.to, parts * columns);
        let outs = [out()?, out()?];
        let [beside, team] = self.limits().column_group();
        self.launch(&kernels::NORM_SUMS, types)
            .reads(a)
            .scalar(a.offset() as u32)
            .reads(grad_out)
            .scalar(grad_out.offset() as u32)
            .reads(measured)
            .scalar(columns as u32)
            .scalar(segment as u32)
            .writes(&outs[0])
            .writes(&outs[1])
            .scalar(n as u32)
            .global([columns, parts * team])
            .local([beside, team])
            .run()?;
        let [bias, weight] = outs.map(|out| Arc::new(out) as Shared);
        let whole = |out| match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[parts, columns]);
                let left = left.permute(&[1, 0])?;
                self.reduce_to(a.dtype(), Reduce::Sum, &left, columns, parts)
            }
        };
        Ok([whole(bias)?, whole(weight)?])
    }
}
