//! Operands copied so that tensor cores read them well.

use super::operands::{Operand, Product};
use super::{Array, Numbers, OpenCl, kernels};
use crate::error::Result;

/// A number that is multiplied so often is worth a copy that suits the cores:
/// products of 2048, 4096 and 4097 took 0.87, 0.87 and 0.81 of PyTorch's time
/// with copies on an NVIDIA H100, and 0.96, 0.93 and 1.21 without; with those by
/// warpgroups two of 1024 took 1.05 with copies on an H200, and 0.88 without
/// (`cargo learn bench matmul`, November 2026).
const OFTEN: usize = 2048;
/// The same for operands that both lie across `k`, which the cores do not read
/// otherwise: the gradients of a layer's weights. With it, and with attention
/// that copies its heads once, a step of the large GPT took 43.6 ms on an
/// NVIDIA H200 and 49.8 before; nobody has timed the two apart (`cargo learn
/// bench gpt`, November 2026).
const SOME: usize = 256;

impl OpenCl {
    /// Tells whether tensor cores read an operand faster from a copy, in which
    /// its lines go along `k` and begin at whole fours, and whether there are
    /// so many products that they make good for the copies.
    pub(super) fn pays_to_pack(&self, product: &Product) -> bool {
        let Product { a, b, batches, k, .. } = product;
        let least = a.lines.min(b.lines);
        let across = !a.lies_along_inner() && !b.lies_along_inner();
        let often = if across { least >= SOME } else { least >= OFTEN };
        self.has_cores(a.array.dtype())
            && *batches == 1
            && often
            && *k >= OFTEN
            && !(a.is_packed(*k) && b.is_packed(*k))
    }

    /// Copies the lines of an operand, unless it lies well.
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
                .scalar(operand.to())
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
