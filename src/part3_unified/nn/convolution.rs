//! A layer of filters, built in "Windows and a product".

use std::fmt;

use super::super::{ConvOptions, Device, Tensor};
use super::{Module, parameters};
use crate::error::{mistake, or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

/// Filters that move over images, and a bias for each.
///
/// ```
/// # use rungrad::part3_unified::{ConvOptions, Device, Tensor};
/// # use rungrad::part3_unified::nn::{Conv2d, Module};
/// # use rungrad::rng::Random;
/// let same = ConvOptions::new().padding([1, 1]);
/// let layer = Conv2d::new(3, 8, [3, 3], same, &mut Random::new(0));
/// let images = Tensor::rand(&[2, 3, 10, 10], 1, Device::Cpu)?;
/// assert_eq!(layer.forward(&images).shape(), [2, 8, 10, 10]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "Convolution")]
pub struct Conv2d {
    /// Shape (filters, channels of a group, height, width), as in PyTorch.
    pub weight: Tensor,
    /// Shape (filters).
    pub bias: Tensor,
    /// How the filters move.
    pub options: ConvOptions,
}

// ANCHOR: conv2d
impl Conv2d {
    /// Makes a layer on the processor. The weights are drawn around 0 with a
    /// standard deviation of `sqrt(2 / inputs)`, where a filter's inputs are
    /// all numbers of its window; the biases are 0.
    ///
    /// # Panics
    ///
    /// If the channels do not fit the groups, or if the host has no memory
    /// for so many weights.
    #[track_caller]
    pub fn new(
        channels: usize,
        filters: usize,
        [height, width]: [usize; 2],
        options: ConvOptions,
        random: &mut Random,
    ) -> Conv2d {
        let groups = options.groups;
        let shape = match channels.checked_rem(groups) {
            Some(0) => [filters, channels / groups, height, width],
            _ => mistake(format!(
                "Conv2d: {channels} channels in {groups} groups; each group \
                 takes as many, so divide them evenly"
            )),
        };
        let count = or_raise(checked_size(&shape));
        let inputs: usize = shape[1..].iter().product();
        let deviation = (2.0 / inputs as f32).sqrt();
        let mut weight = or_raise(room(count));
        weight.extend((0..count).map(|_| deviation * random.normal()));
        let leaf = |shape: &[usize], values: &[f32]| {
            or_raise(Tensor::new(shape, values, Device::Cpu)).requires_grad()
        };
        Conv2d {
            weight: leaf(&shape, &weight),
            bias: leaf(&[filters], &or_raise(zeros(filters))),
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

    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("Conv2d {:?}", self.weight.shape())
    }
}
// ANCHOR_END: conv2d

impl fmt::Debug for Conv2d {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
