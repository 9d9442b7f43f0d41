//! Layers that bring numbers to mean 0 and variance 1: those of each row, or
//! those of each channel of a batch.

use std::fmt;

use super::super::{Array, Device, Tensor, no_grad};
use super::{Buffer, Mode, Module, init, parameters};
use crate::error::{mistake, or_raise};
use crate::ops::Keep;

/// Brings each row to mean 0 and variance 1, and then to what it learns.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::nn::{LayerNorm, Module};
/// let norm = LayerNorm::new(2);
/// let x = Tensor::new(&[2, 2], &[1.0, 3.0, 500.0, 900.0], Device::Cpu)?;
/// let y = norm.forward(&x).to_vec()?;
/// let right = [-1.0, 1.0, -1.0, 1.0];
/// assert!(y.iter().zip(right).all(|(y, right)| (y - right).abs() < 1e-4));
/// # Ok::<(), rungrad::Error>(())
/// ```
pub struct LayerNorm {
    /// Shape (width), or that of several axes that are one row.
    pub weight: Tensor,
    /// The same shape.
    pub bias: Tensor,
    /// What is added to the variance, so that nothing is divided by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
}

impl LayerNorm {
    /// Makes a layer on the processor, with weights of 1, biases of 0 and
    /// PyTorch's epsilon, 1e-5.
    #[track_caller]
    pub fn new(width: usize) -> LayerNorm {
        let [weight, bias] = [1.0, 0.0].map(|it| init::filled(&[width], it));
        LayerNorm { weight, bias, epsilon: 1e-5 }
    }
}

impl Module for LayerNorm {
    /// Computes (.., width) -> (.., width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.layer_norm(&self.weight, &self.bias, self.epsilon)
    }

    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("LayerNorm {:?}", self.weight.shape())
    }
}

/// Brings each channel of a batch to mean 0 and variance 1, and then to what
/// it learns: PyTorch's `BatchNorm1d` and `BatchNorm2d`.
///
/// While it is trained, the mean and the variance are those of the batch, and
/// it keeps a running mean of both. In evaluation it takes what it has kept,
/// so that no image's answer depends on its neighbors.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::nn::{BatchNorm, Module};
/// let norm = BatchNorm::new(1);
/// let x = Tensor::new(&[2, 1], &[4.0, 6.0], Device::Cpu)?;
/// let y = norm.forward(&x).to_vec()?;
/// assert!((y[0] + 1.0).abs() < 1e-4 && (y[1] - 1.0).abs() < 1e-4);
/// // A tenth of the batch, and nine of what was there.
/// assert_eq!(norm.running_mean.get().to_vec()?, [0.5]);
/// norm.eval();
/// assert!(norm.forward(&x).to_vec()?[0] > 3.0);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "BatchNorm1d")]
#[doc(alias = "BatchNorm2d")]
pub struct BatchNorm {
    /// Shape (channels).
    pub weight: Tensor,
    /// Shape (channels).
    pub bias: Tensor,
    /// The running mean of the means, shape (channels).
    pub running_mean: Buffer,
    /// The running mean of the variances, shape (channels). A batch's variance
    /// is counted here as that of all from which it was drawn: the sum of the
    /// squares divided by one less than there are.
    pub running_var: Buffer,
    /// What is added to the variance, so that nothing is divided by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
    /// The share of a new batch in the running means.
    pub momentum: f32,
    /// Whether it is being trained.
    pub mode: Mode,
}

impl BatchNorm {
    /// Makes a layer on the processor, with weights of 1 and biases of 0,
    /// PyTorch's epsilon, 1e-5, and its momentum, 0.1.
    #[track_caller]
    pub fn new(channels: usize) -> BatchNorm {
        let [weight, bias] = [1.0, 0.0].map(|n| init::filled(&[channels], n));
        let kept = |number| {
            let kept = Tensor::full(&[channels], number, Device::Cpu);
            Buffer::new(or_raise(kept))
        };
        let (running_mean, running_var) = (kept(0.0), kept(1.0));
        let (epsilon, momentum, mode) = (1e-5, 0.1, Mode::default());
        BatchNorm {
            weight,
            bias,
            running_mean,
            running_var,
            epsilon,
            momentum,
            mode,
        }
    }

    // ANCHOR: of-batch
    /// Computes the mean and the variance of each channel, and keeps its share
    /// of them.
    #[track_caller]
    fn of_batch(&self, x: &Tensor, axes: &[usize]) -> [Tensor; 2] {
        let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
        if count < 2 {
            mistake(format!(
                "BatchNorm: a batch of shape {:?} has {count} numbers for each \
                 channel, and trains with two or more; call .eval() if nothing \
                 is to be trained",
                x.shape()
            ));
        }
        let mean = x.mean_over(axes, Keep::Yes);
        let gap = x.sub(&mean);
        let var = gap.mul(&gap).mean_over(axes, Keep::Yes);
        no_grad(|| {
            let whole = var.scale(count as f32 / (count - 1) as f32);
            let new_mean = self.averaged(&self.running_mean, &mean);
            let new_var = self.averaged(&self.running_var, &whole);
            // Both change or none: a failure must not destroy what was kept.
            let both = [&new_mean, &new_var].map(Tensor::array);
            or_raise(Array::check_all(both));
            self.running_mean.set(new_mean);
            self.running_var.set(new_var);
        });
        [mean, var]
    }

    #[track_caller]
    fn averaged(&self, running: &Buffer, new: &Tensor) -> Tensor {
        let before = running.get();
        let new = new.reshape(before.shape()).scale(self.momentum);
        before.scale(1.0 - self.momentum).add(&new)
    }
    // ANCHOR_END: of-batch
}

impl Module for BatchNorm {
    /// Computes (n, channels, ..) -> (n, channels, ..).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let channels = self.weight.len();
        if x.shape().get(1) != Some(&channels) {
            mistake(format!(
                "BatchNorm: shape {:?} is not (number, {channels}, ..); its \
                 second axis must be the {channels} channels",
                x.shape()
            ));
        }
        let mut shape = vec![1; x.rank()];
        shape[1] = channels;
        let lie = |it: &Tensor| it.reshape(&shape);
        let axes: Vec<usize> = (0..x.rank()).filter(|&it| it != 1).collect();
        let [mean, var] = match self.mode.is_training() {
            true => self.of_batch(x, &axes),
            false => {
                [&self.running_mean, &self.running_var].map(|it| lie(&it.get()))
            }
        };
        let y = x.sub(&mean).div(&var.shift(self.epsilon).sqrt());
        y.mul(&lie(&self.weight)).add(&lie(&self.bias))
    }

    parameters!(weight, bias, running_mean, running_var, mode);

    fn name(&self) -> String {
        format!("BatchNorm {:?}", self.weight.shape())
    }
}

impl fmt::Debug for LayerNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for BatchNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
