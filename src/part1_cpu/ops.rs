//! The operations, in the order of [`crate::ops`]. Chapter 4 builds the
//! first: each gives a result and the local rule that goes with it.

use ndarray::{ArrayD, IxDyn, arr0};

use super::Tensor;
use crate::error::mistake;

// ANCHOR: mul
impl Tensor {
    /// The elementwise product of two equal shapes.
    ///
    /// `grad_a = grad_out * b`, `grad_b = grad_out * a`.
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        same_shape("mul", self, other);
        let (a, b) = (self.data(), other.data());
        Tensor::from_op("mul", &[self, other], &*a * &*b, move |grad_out| {
            vec![grad_out * &*b, grad_out * &*a]
        })
    }
}
// ANCHOR_END: mul

impl Tensor {
    /// The sum of all elements, a tensor of one element and no axes.
    ///
    /// `grad_a` is `grad_out`, once for each element that was summed.
    pub fn sum(&self) -> Tensor {
        let total = arr0(self.0.data.sum()).into_dyn();
        let shape = IxDyn(self.shape());
        Tensor::from_op("sum", &[self], total, move |grad_out| {
            vec![ArrayD::from_elem(shape.clone(), grad_out[[]])]
        })
    }
}

#[track_caller]
fn same_shape(op: &str, a: &Tensor, b: &Tensor) {
    if a.shape() != b.shape() {
        mistake(format!(
            "{op}: the shapes {:?} and {:?} differ; give both operands the \
             same shape",
            a.shape(),
            b.shape()
        ));
    }
}
