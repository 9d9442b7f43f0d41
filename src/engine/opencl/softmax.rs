//! Softmax, log-softmax, and the gradient of log-softmax, in one launch each.
//!
//! The simple algorithm, for each row:
//!
//! ```text
//! out[i] = exp(x[i] - max(x)) / sum over j of exp(x[j] - max(x))
//! ```
//!
//! The optimizations are listed in `kernels/engine/softmax.cl`. This file
//! chooses between its two kernels: a row group holds a row in registers if it
//! fits, and otherwise reads it twice.

use super::{Array, ArrayArgs, Backend, OpenCl, Shared, kernels};
use crate::error::Result;

impl OpenCl {
    /// Computes the softmax of each row, or with `log` the log-softmax.
    pub(super) fn softmax_rows(&self, a: &Array, log: bool) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if !a.offset().is_multiple_of(4) {
            return self.softmax_rows(&a.dense_like(self.copy(a)?), log);
        }
        let kernel = if self.limits().keeps_row(columns) {
            kernels::SOFTMAX_FOURS
        } else {
            kernels::SOFTMAX_ROWS
        };
        let [global, local] = self.limits().row_groups(rows, columns);
        self.fill(a.dtype(), a.len(), |out| {
            self.launch(&kernel, a.dtype())
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(columns as u32)
                .scalar(u32::from(log))
                .writes(out)
                .scalar(rows as u32)
                .global(global)
                .local(local)
                .run()
        })
    }

    /// Computes the gradient of log-softmax.
    pub(super) fn log_softmax_backward(
        &self,
        y: &Array,
        grad_out: &Array,
    ) -> Result<Shared> {
        let (rows, columns) = (y.shape()[0], y.shape()[1]);
        let [global, local] = self.limits().row_groups(rows, columns);
        self.fill(y.dtype(), y.len(), |out| {
            self.launch(&kernels::SOFTMAX_GRADS, y.dtype())
                .reads(y)
                .scalar(y.offset() as u32)
                .reads(grad_out)
                .scalar(grad_out.offset() as u32)
                .scalar(columns as u32)
                .writes(out)
                .scalar(rows as u32)
                .global(global)
                .local(local)
                .run()
        })
    }
}
