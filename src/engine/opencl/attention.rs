//! Causal self-attention: one launch, and two for the backward pass over a long
//! sequence.
//!
//! The simple algorithm, for each head:
//!
//! ```text
//! scores[q][k] = dot(query[q], key[k]) / sqrt(width)      for k <= q
//! out[q]       = sum over k of softmax(scores[q])[k] * value[k]
//! ```
//!
//! The optimizations are listed in `kernels/engine/attention.cl`, for
//! sequences whose scores fit into local memory, and in
//! `kernels/engine/long_attention.cl`. Arrays that neither supports use the
//! composition of other operations.

use std::sync::Arc;

use super::{Array, ArrayArgs, GROUP_SIZE, OpenCl, Shared, kernels};
use crate::engine::kernels::{
    HEAD, HEAD_ITEMS, HEAD_MEMORY, HEAD_ROW, HEAD_TILE,
};
use crate::error::Result;
use crate::part3_unified::{DType, defaults};

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
    pub(super) fn attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        let a = a.compact()?;
        let short = is_short(&a, heads);
        if !short && !self.supports_long(&[&a], heads) {
            return defaults::self_attention(&a, heads);
        }
        let (n, positions, row) =
            (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        let (kernel, groups, items) = if short {
            (&kernels::ATTENTION_ROWS, n, GROUP_SIZE)
        } else {
            (&kernels::ATTENTION_LONG_ROWS, tiles(&a, n), HEAD_ITEMS)
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
    pub(super) fn attention_backward(
        &self,
        [a, seen, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        // The six arrays of a head may exceed local memory in `f64`.
        if !is_short(&a, heads) || a.dtype() == DType::F64 {
            let arrays = [&a, &seen.compact()?, &grads];
            return if self.supports_long(&arrays, heads) {
                self.long_attention_backward(arrays, heads)
            } else {
                defaults::self_attention_grads(&a, &grads, heads)
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
                .global(n.min(MAX_GROUPS) * GROUP_SIZE)
                .local(GROUP_SIZE)
                .run()
        })
    }

    /// Computes the gradient for long sequences in two launches: first of the
    /// queries, which also stores two values for each row of scores, then of
    /// the keys and values, which reads them.
    fn long_attention_backward<'a>(
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
}
