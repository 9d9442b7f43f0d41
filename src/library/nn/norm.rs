//! Normalization layers: layer normalization of each row, and batch
//! normalization of each channel.

use std::fmt;

use super::{Buffer, Mode, Module, Parameters, init, parameters};
use crate::error::{mistake, or_raise};
use crate::ops::Keep;
use crate::part3_unified::{Array, Device, Tensor, no_grad};

/// Layer normalization: normalizes each row to mean 0 and variance 1, then
/// applies a trainable scale and offset.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{LayerNorm, Module};
/// let norm = LayerNorm::new(2);
/// let x = Tensor::new(&[2, 2], &[1.0, 3.0, 500.0, 900.0], Device::Cpu)?;
/// let y = norm.forward(&x).to_vec()?;
/// let right = [-1.0, 1.0, -1.0, 1.0];
/// assert!(y.iter().zip(right).all(|(y, right)| (y - right).abs() < 1e-4));
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone)]
pub struct LayerNorm {
    /// The scale. Shape (width), or the shape of the last axes that form a
    /// row.
    pub weight: Tensor,
    /// The offset, with the same shape.
    pub bias: Tensor,
    /// Added to the variance to avoid division by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
}

impl LayerNorm {
    /// Creates a layer on the CPU with weights of 1, biases of 0, and
    /// PyTorch's default epsilon, 1e-5.
    #[track_caller]
    pub fn new(width: usize) -> LayerNorm {
        let [weight, bias] =
            [1.0, 0.0].map(|value| init::filled(&[width], value));
        LayerNorm { weight, bias, epsilon: 1e-5 }
    }
}

impl Module for LayerNorm {
    /// Computes (.., width) -> (.., width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.layer_norm(&self.weight, &self.bias, self.epsilon)
    }
}

impl Parameters for LayerNorm {
    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("LayerNorm {:?}", self.weight.shape())
    }
}

/// Batch normalization: normalizes each channel to mean 0 and variance 1, then
/// applies a trainable scale and offset. Covers PyTorch's `BatchNorm1d` and
/// `BatchNorm2d`.
///
/// In training mode, it uses the mean and variance of the batch, and updates
/// running means of both. In evaluation mode, it uses the running means, so
/// that the result for an image does not depend on the rest of its batch.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{BatchNorm, Module, Parameters};
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
#[derive(Clone)]
pub struct BatchNorm {
    /// The scale. Shape (channels).
    pub weight: Tensor,
    /// The offset. Shape (channels).
    pub bias: Tensor,
    /// The running mean of the batch means. Shape (channels).
    pub running_mean: Buffer,
    /// The running mean of the batch variances. Shape (channels). It uses the
    /// unbiased variance of each batch, which divides by n - 1.
    pub running_var: Buffer,
    /// Added to the variance to avoid division by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
    /// The weight of a new batch in the running means.
    pub momentum: f32,
    /// Training mode uses the batch; evaluation mode uses the running means.
    pub mode: Mode,
}

impl BatchNorm {
    /// Creates a layer on the CPU with weights of 1, biases of 0, and
    /// PyTorch's defaults for epsilon, 1e-5, and momentum, 0.1.
    #[track_caller]
    pub fn new(channels: usize) -> BatchNorm {
        let [weight, bias] = [1.0, 0.0].map(|n| init::filled(&[channels], n));
        let buffer = |value| {
            let tensor = Tensor::full(&[channels], value, Device::Cpu);
            Buffer::new(or_raise(tensor))
        };
        let (running_mean, running_var) = (buffer(0.0), buffer(1.0));
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
    /// Returns the mean and variance of each channel of the batch, and updates
    /// the running means.
    #[track_caller]
    fn batch_statistics(&self, x: &Tensor, axes: &[usize]) -> [Tensor; 2] {
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
            let unbiased = var.scale(count as f32 / (count - 1) as f32);
            let new_mean = self.running_average(&self.running_mean, &mean);
            let new_var = self.running_average(&self.running_var, &unbiased);
            // Update both or neither: a failed computation must not corrupt
            // the running means.
            let both = [&new_mean, &new_var].map(Tensor::array);
            or_raise(Array::check_all(both));
            self.running_mean.set(new_mean);
            self.running_var.set(new_var);
        });
        [mean, var]
    }

    #[track_caller]
    fn running_average(&self, running: &Buffer, new: &Tensor) -> Tensor {
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
        let per_channel = |tensor: &Tensor| tensor.reshape(&shape);
        let axes: Vec<usize> =
            (0..x.rank()).filter(|&axis| axis != 1).collect();
        let [mean, var] = match self.mode.is_training() {
            true => self.batch_statistics(x, &axes),
            false => [&self.running_mean, &self.running_var]
                .map(|buffer| per_channel(&buffer.get())),
        };
        let y = x.sub(&mean).div(&var.shift(self.epsilon).sqrt());
        y.mul(&per_channel(&self.weight)).add(&per_channel(&self.bias))
    }
}

impl Parameters for BatchNorm {
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
