//! Softmax and loss functions.

use super::super::{Array, Context, Function, Gradients};
use super::super::{Tensor, apply};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::{Keep, Op};

impl Tensor {
    /// Computes the logarithm of [`Tensor::softmax`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[7.0, 7.0], Device::Cpu)?;
    /// assert_eq!(x.log_softmax().to_vec()?, [-2f32.ln(); 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the tensor has no axes.
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        apply(LogSoftmax, &[self])
    }
}

/// The logarithm of softmax along the last axis.
///
/// `grad_a = grad_out - softmax(a) * sum(grad_out)`, row by row.
pub struct LogSoftmax;

impl Function for LogSoftmax {
    fn op(&self) -> Op {
        Op::LogSoftmax
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let a = inputs[0];
        checks::last_axis("log_softmax", a.shape())?;
        let output = a.log_softmax()?;
        ctx.save_output(&output);
        Ok(output)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let y = ctx.output();
        if !y.records() && !grad_out.records() {
            let grads = y.array.log_softmax_grads(&grad_out.array);
            return vec![Some(or_raise(grads).into())];
        }
        let last = y.shape().len() - 1;
        let total = grad_out.sum_over(&[last], Keep::Yes);
        vec![Some(grad_out.sub(&y.exp().mul(&total)))]
    }
}

impl Tensor {
    /// Computes the mean cross-entropy loss of scores (n, classes): the
    /// negative logarithm of the softmax probability of each row's label,
    /// averaged over the rows.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let scores = Tensor::zeros(&[3, 2], Device::Cpu)?;
    /// assert_eq!(scores.cross_entropy(&[0, 1, 1]).item()?, 2f32.ln());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one valid label for each row.
    #[doc(alias = "nll_loss")]
    #[track_caller]
    pub fn cross_entropy(&self, labels: &[usize]) -> Tensor {
        or_raise(checks::labels("cross_entropy", self.shape(), labels));
        self.log_softmax().pick(labels).mean().neg()
    }
}

/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// let answers = Tensor::new(&[2], &[1.0, 5.0], Device::Cpu)?;
/// let target = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
/// assert_eq!(answers.mse(&target).item()?, 4.5);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the shapes or the devices differ.
impl Tensor {
    /// Computes the mean squared error. The shapes must be equal: broadcasting
    /// a column against a row would silently compare every pair of elements.
    #[doc(alias = "mse_loss")]
    #[track_caller]
    pub fn mse(&self, target: &Tensor) -> Tensor {
        if self.shape() != target.shape() {
            mistake(format!(
                "mse: the answers have shape {:?} and the numbers {:?}; \
                 reshape one to the other",
                self.shape(),
                target.shape()
            ));
        }
        let gap = self.sub(target);
        gap.mul(&gap).mean()
    }
}
