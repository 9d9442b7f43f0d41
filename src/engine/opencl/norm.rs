//! Layer normalization: one launch, and two for the backward pass.
//!
//! The simple algorithm, for each row:
//!
//! ```text
//! rstd   = 1 / sqrt(mean((x - mean(x))^2) + epsilon)
//! out[i] = (x[i] - mean(x)) * rstd * weight[i] + bias[i]
//! ```
//!
//! Two optimizations are applied to it:
//!
//! 1. **Row groups.** Several items share a row; see `launch_shape`.
//! 2. **Saved statistics.** The launch for the gradient of the rows stores
//!    their means and deviations, so that the launch for the gradients of the
//!    weight and the bias does not compute them again.

use std::sync::Arc;

use super::buffers::scalar_of;
use super::kernels;
use super::reduce::MAX_SHORT_COLUMN;
use super::{Array, ArrayArgs, Kernel, Launch, OpenCl, Reduce, Shared, Types};
use crate::error::Result;

impl OpenCl {
    /// Computes the layer norm of an array with a weight and a bias.
    pub(super) fn norm_rows(
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
    pub(super) fn norm_backward(
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
    pub(crate) fn norm_grad_terms(
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
