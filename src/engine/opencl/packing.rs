//! Packs operands for tensor cores: copies them to contiguous lines along `k`.

use super::operands::{Operand, Product};
use super::{Array, ArrayArgs, OpenCl, kernels};
use crate::error::Result;

/// Operands are packed if each element is used at least this often; see
/// docs/benchmarks.md.
const MIN_USES: usize = 2048;
/// The same threshold if neither operand is contiguous along `k`, as in the
/// gradient of a layer's weight. Tensor cores are not used for such operands
/// without packing; see docs/benchmarks.md.
// TODO(perf): measure apart from attention's copies.
const MIN_USES_ACROSS: usize = 256;

impl OpenCl {
    /// Returns whether tensor cores read packed operands so much faster that
    /// the copies pay off.
    pub(super) fn pays_to_pack(&self, product: &Product) -> bool {
        let Product { a, b, batches, k, .. } = product;
        let least = a.lines.min(b.lines);
        let across = !a.is_along_k() && !b.is_along_k();
        let min_uses = if across { MIN_USES_ACROSS } else { MIN_USES };
        self.has_cores(a.array.dtype())
            && *batches == 1
            && least >= min_uses
            && *k >= MIN_USES
            && !(a.is_packed(*k) && b.is_packed(*k))
    }

    /// Returns the operand as a packed matrix. Copies only if it is not
    /// packed.
    pub(super) fn packed(&self, operand: Operand, k: usize) -> Result<Array> {
        if operand.is_packed(k) {
            let lines = [operand.lines, k];
            return operand.array.reshape(&lines);
        }
        let (lines, room) = (operand.lines, k.next_multiple_of(4));
        let dtype = operand.array.dtype();
        let out = self.fill(dtype, lines * room, |out| {
            self.launch(&kernels::COPY_LINES, dtype)
                .reads(operand.array)
                .scalar(operand.array.offset() as u32)
                .scalar(operand.strides_arg())
                .writes(out)
                .scalar(lines as u32)
                .scalar(k as u32)
                .scalar(room as u32)
                .global([room.next_multiple_of(32), lines.div_ceil(32) * 8])
                .local([32, 8])
                .run()
        })?;
        let device = operand.array.device();
        Ok(Array::dense(device, out, &[lines, room]))
    }
}
