//! The gradient of `max`: each upstream gradient is split equally among the
//! elements that equal the maximum.
//!
//! The simple algorithm, for each row along the reduced axes:
//!
//! ```text
//! count  = number of elements with x == max
//! out[i] = grad / count if x[i] == max, else 0
//! ```
//!
//! One item does this for each row, in one launch. It reads a view with up to
//! four kept and four reduced axes, so a pooling window is not copied. Views
//! with more axes use the composition of other operations.

use super::copy::AXES;
use super::short_rows::ShortRows;
use super::{Array, ArrayArgs, OpenCl, Shared, View, kernels};
use crate::error::Result;
use crate::part3_unified::defaults;

/// Returns the view of an array whose `axes` are reduced, and the strides of a
/// dense result of the same shape. Returns `None` if it has too many axes.
fn rows_along(a: &Array, axes: &[usize]) -> Option<(ShortRows, [i32; AXES])> {
    let kept = (0..a.shape().len()).filter(|axis| !axes.contains(axis));
    let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
    let dense = View::dense(a.shape());
    let (view, outs) =
        (a.view().permute(&order).ok()?, dense.permute(&order).ok()?);
    ShortRows::split(&view, &outs, order.len() - axes.len())
}

impl OpenCl {
    /// Computes [`Backend::max_backward`](super::Backend::max_backward).
    pub(super) fn split_max_grads(
        &self,
        a: &Array,
        max: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        let Some((rows, out_strides)) =
            rows_along(a, axes).filter(|_| !a.is_empty())
        else {
            return defaults::max_backward(a, max, grads, axes);
        };
        let (max, grads) = (max.compact()?, grads.compact()?);
        self.fill(a.dtype(), a.len(), |out| {
            self.launch_per_element(
                &kernels::REDUCE_FEW_SHARE,
                a.dtype(),
                rows.rows(),
            )
            .reads(a)
            .scalar(a.offset() as u32)
            .scalar(rows.shape)
            .scalar(rows.strides)
            .reads(&max)
            .scalar(max.offset() as u32)
            .reads(&grads)
            .scalar(grads.offset() as u32)
            .writes(out)
            .scalar(out_strides)
            .scalar(rows.rows() as u32)
            .run()
        })
    }
}
