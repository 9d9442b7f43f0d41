//! Softmax along any axis.

use crate::checks;
use crate::error::{Result, or_raise};
use crate::ops::{Keep, Op};
use crate::part3_unified::{
    Array, Axis, Context, Function, Gradients, Tensor, apply,
};

impl Tensor {
    /// Applies `f`, which works along the last axis, along another axis: swaps
    /// the two before and after.
    #[track_caller]
    fn by_rows_along(&self, axis: usize, f: fn(&Tensor) -> Tensor) -> Tensor {
        let mut order = self.axes();
        order.swap(axis, self.shape().len() - 1);
        f(&self.permute(&order)).permute(&order)
    }

    /// Computes the softmax along the last axis: positive numbers that sum to
    /// 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[7.0, 7.0], Device::Cpu)?;
    /// assert_eq!(x.softmax().to_vec()?, [0.5, 0.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor has no axes.
    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        apply(Softmax, &[self])
    }

    /// Computes the softmax along the given axis.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[0.0, 7.0, 0.0, 7.0], Device::Cpu)?;
    /// assert_eq!(x.softmax_over(0).to_vec()?, [0.5; 4]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist.
    #[doc(alias = "softmax")]
    #[track_caller]
    pub fn softmax_over(&self, axis: impl Axis) -> Tensor {
        let axis = or_raise(checks::axis("softmax_over", self.shape(), axis));
        self.by_rows_along(axis, Tensor::softmax)
    }

    /// Computes the logarithm of [`Tensor::softmax_over`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[0.0, 7.0, 0.0, 7.0], Device::Cpu)?;
    /// let logs = x.log_softmax_over(0).to_vec()?;
    /// assert!(logs.iter().all(|log| (log + 2f32.ln()).abs() < 1e-6));
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist.
    #[doc(alias = "log_softmax")]
    #[track_caller]
    pub fn log_softmax_over(&self, axis: impl Axis) -> Tensor {
        let axis =
            or_raise(checks::axis("log_softmax_over", self.shape(), axis));
        self.by_rows_along(axis, Tensor::log_softmax)
    }
}

/// The softmax along the last axis.
///
/// `grad_a = softmax(a) * (grad_out - sum(softmax(a) * grad_out))`, row by
/// row.
pub struct Softmax;

impl Function for Softmax {
    fn op(&self) -> Op {
        Op::Softmax
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let a = inputs[0];
        checks::last_axis("softmax", a.shape())?;
        let output = a.softmax()?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let y = ctx.output();
        let last = y.shape().len() - 1;
        let total = y.mul(grad_out).sum_over(&[last], Keep::Yes);
        vec![Some(y.mul(&grad_out.sub(&total)))]
    }
}

impl Array {
    /// Computes the softmax along the last axis.
    pub fn softmax(&self) -> Result<Array> {
        self.map_rows(|backend, rows| backend.softmax(rows))
    }
}
