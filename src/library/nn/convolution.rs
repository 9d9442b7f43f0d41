//! The convolution layer, built in "Windows and a product".

use std::fmt;

use super::super::functions::ConvOptions;
use super::{Module, Parameters, init, parameters};
use crate::error::mistake;
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// A layer of convolution filters, each with a bias.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::ConvOptions;
/// # use rungrad::nn::{Conv2d, Module};
/// # use rungrad::rng::Random;
/// let same = ConvOptions::new().padding([1, 1]);
/// let layer = Conv2d::new(3, 8, [3, 3], same, &mut Random::new(0));
/// let images = Tensor::rand(&[2, 3, 10, 10], 1, Device::Cpu)?;
/// assert_eq!(layer.forward(&images).shape(), [2, 8, 10, 10]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "Convolution")]
#[derive(Clone)]
pub struct Conv2d {
    /// Shape (filters, channels per group, height, width), as in PyTorch.
    pub weight: Tensor,
    /// Shape (filters).
    pub bias: Tensor,
    /// Stride, padding, dilation and groups.
    pub options: ConvOptions,
}

// ANCHOR: conv2d
impl Conv2d {
    /// Creates a layer on the CPU. The weights are normally distributed with
    /// mean 0 and standard deviation `sqrt(2 / inputs)`, where `inputs` is the
    /// number of elements in a window of a group. The biases are 0.
    ///
    /// # Panics
    ///
    /// If the channels are not divisible by the groups, or if the host is out
    /// of memory.
    #[track_caller]
    pub fn new(
        channels: usize,
        filters: usize,
        size: [usize; 2],
        options: ConvOptions,
        random: &mut Random,
    ) -> Conv2d {
        let shape = shape(channels, filters, size, &options);
        let inputs: usize = shape[1..].iter().product();
        let deviation = (2.0 / inputs as f32).sqrt();
        Conv2d {
            weight: init::normal(&shape, deviation, random),
            bias: init::filled(&[filters], 0.0),
            options,
        }
    }
}

impl Module for Conv2d {
    /// Computes (n, channels, h, w) -> (n, filters, rows, columns).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.conv2d(&self.weight, Some(&self.bias), &self.options)
    }
}

impl Parameters for Conv2d {
    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("Conv2d {:?}", self.weight.shape())
    }
}
// ANCHOR_END: conv2d

impl Conv2d {
    /// Creates a layer on the CPU with PyTorch's default initialization:
    /// weights and biases are uniform in `±1 / sqrt(inputs)`.
    ///
    /// # Panics
    ///
    /// As [`Conv2d::new`].
    #[track_caller]
    pub fn kaiming_uniform(
        channels: usize,
        filters: usize,
        size: [usize; 2],
        options: ConvOptions,
        random: &mut Random,
    ) -> Conv2d {
        let shape = shape(channels, filters, size, &options);
        let (inputs, a) = (shape[1..].iter().product(), 5f32.sqrt());
        Conv2d {
            weight: init::kaiming_uniform(&shape, inputs, a, random),
            bias: init::kaiming_uniform(&[filters], inputs, a, random),
            options,
        }
    }
}

/// Returns the shape of the weight.
#[track_caller]
fn shape(
    channels: usize,
    filters: usize,
    [height, width]: [usize; 2],
    options: &ConvOptions,
) -> [usize; 4] {
    let groups = options.groups;
    match channels.checked_rem(groups) {
        Some(0) => [filters, channels / groups, height, width],
        _ => mistake(format!(
            "Conv2d: {channels} channels in {groups} groups; each group \
             takes as many, so divide them evenly"
        )),
    }
}

impl fmt::Debug for Conv2d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
