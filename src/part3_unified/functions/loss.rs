//! Softmax and loss functions.

use super::super::number::{Element, with_type};
use super::super::{Array, Context, Function, Gradients};
use super::super::{Tensor, apply};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::{Keep, Op};

impl Tensor {
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
    pub fn softmax_over(&self, axis: usize) -> Tensor {
        or_raise(checks::axes("softmax_over", self.shape(), &[axis]));
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
    pub fn log_softmax_over(&self, axis: usize) -> Tensor {
        or_raise(checks::axes("log_softmax_over", self.shape(), &[axis]));
        self.by_rows_along(axis, Tensor::log_softmax)
    }

    /// Applies `f`, which works along the last axis, along another axis: swaps
    /// the two before and after.
    #[track_caller]
    fn by_rows_along(&self, axis: usize, f: fn(&Tensor) -> Tensor) -> Tensor {
        let mut order = self.axes();
        order.swap(axis, self.shape().len() - 1);
        f(&self.permute(&order)).permute(&order)
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
// ANCHOR: mse
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
// ANCHOR_END: mse

impl Tensor {
    /// Computes the cross-entropy loss as a weighted mean over the rows. A row
    /// with weight 0 is ignored; use it for padding after the end of a text.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let scores = Tensor::new(&[2, 2], &[0., 0., 1., 9.], Device::Cpu)?;
    /// let loss = scores.weighted_cross_entropy(&[0, 0], &[3.0, 0.0]);
    /// assert_eq!(loss.item()?, 2f32.ln());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one valid label and one weight for each row, or the sum
    /// of the weights is not positive.
    #[doc(alias = "ignore_index")]
    #[track_caller]
    pub fn weighted_cross_entropy(
        &self,
        labels: &[usize],
        weights: &[f32],
    ) -> Tensor {
        let what = "weighted_cross_entropy";
        or_raise(checks::labels(what, self.shape(), labels));
        let total: f64 = weights.iter().map(|&it| f64::from(it)).sum();
        if weights.len() != labels.len() || total.is_nan() || total <= 0.0 {
            mistake(format!(
                "{what}: {} weights with the sum {total} for {} rows; it \
                 takes one for each, and some above 0",
                weights.len(),
                labels.len()
            ));
        }
        let rows = [labels.len()];
        let shares = with_type!(self.dtype(), T => {
            let share = |&it: &f32| T::nearest(-f64::from(it) / total);
            let shares: Vec<T> = weights.iter().map(share).collect();
            Tensor::of(&rows, &shares, self.device())
        });
        self.log_softmax().pick(labels).mul(&or_raise(shares)).sum()
    }
}
