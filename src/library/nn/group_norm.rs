//! Normalization layers that need no batch: group normalization, and RMS
//! normalization.

use std::fmt;

use super::{Module, Parameters, init, parameters};
use crate::part3_unified::Tensor;

/// Group normalization: normalizes groups of channels of each image, then
/// applies a trainable scale and offset per channel. See
/// [`Tensor::group_norm`].
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{GroupNorm, Module};
/// let norm = GroupNorm::new(2, 4);
/// let x = Tensor::rand(&[3, 4, 5, 5], 1, Device::Cpu)?;
/// assert_eq!(norm.forward(&x).shape(), [3, 4, 5, 5]);
/// assert!(norm.forward(&x).mean().item()?.abs() < 1e-5);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias("InstanceNorm2d"))]
#[derive(Clone)]
pub struct GroupNorm {
    /// The scale. Shape (channels).
    pub weight: Tensor,
    /// The offset. Shape (channels).
    pub bias: Tensor,
    /// The number of groups that the channels are divided into.
    #[doc(alias = "num_groups")]
    pub groups: usize,
    /// Added to the variance to avoid division by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
}

impl GroupNorm {
    /// Creates a layer on the CPU with weights of 1, biases of 0, and
    /// PyTorch's default epsilon, 1e-5.
    #[track_caller]
    pub fn new(groups: usize, channels: usize) -> GroupNorm {
        let [weight, bias] =
            [1.0, 0.0].map(|value| init::filled(&[channels], value));
        GroupNorm { weight, bias, groups, epsilon: 1e-5 }
    }
}

impl Module for GroupNorm {
    /// Computes (n, channels, ..) -> (n, channels, ..).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.group_norm(self.groups, &self.weight, &self.bias, self.epsilon)
    }
}

impl Parameters for GroupNorm {
    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("GroupNorm {} {:?}", self.groups, self.weight.shape())
    }
}

/// RMS normalization: divides each row by its root mean square, then applies a
/// trainable scale. See [`Tensor::rms_norm`].
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{Module, RmsNorm};
/// let norm = RmsNorm::new(2);
/// let x = Tensor::new(&[1, 2], &[100.0, 700.0], Device::Cpu)?;
/// let y = norm.forward(&x).to_vec()?;
/// assert!((y[0] - 0.2).abs() < 1e-6 && (y[1] - 1.4).abs() < 1e-6);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "RMSNorm")]
#[derive(Clone)]
pub struct RmsNorm {
    /// The scale. Shape (width), or the shape of the last axes that form a
    /// row.
    pub weight: Tensor,
    /// Added to the mean of the squares to avoid division by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
}

impl RmsNorm {
    /// Creates a layer on the CPU with weights of 1 and PyTorch's default
    /// epsilon, the machine precision of `f32`.
    #[track_caller]
    pub fn new(width: usize) -> RmsNorm {
        RmsNorm { weight: init::filled(&[width], 1.0), epsilon: f32::EPSILON }
    }
}

impl Module for RmsNorm {
    /// Computes (.., width) -> (.., width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.rms_norm(&self.weight, self.epsilon)
    }
}

impl Parameters for RmsNorm {
    parameters!(weight);

    fn name(&self) -> String {
        format!("RmsNorm {:?}", self.weight.shape())
    }
}

impl fmt::Debug for GroupNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for RmsNorm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
