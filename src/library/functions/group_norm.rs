//! Group normalization and RMS normalization, derived from other operations.

use crate::error::{mistake, or_raise};
use crate::ops::Keep;
use crate::part3_unified::{DType, Tensor};

impl Tensor {
    /// Normalizes the channels of each image (n, channels, ..) in groups to
    /// mean 0 and variance 1, multiplies each channel by its weight, and adds
    /// its bias. One group is layer normalization of whole images, and one
    /// group per channel is instance normalization. `epsilon` is added to the
    /// variance, which is divided by n.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 2, 2], &[1., 3., 7., 7.], Device::Cpu)?;
    /// let [one, zero] = [1.0, 0.0].map(|n| Tensor::full(&[2], n, Device::Cpu));
    /// let y = x.group_norm(2, &one?, &zero?, 3.0);
    /// assert_eq!(y.to_vec()?, [-0.5, 0.5, 0.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes, if the channels are not divisible by
    /// the groups, if the weight and the bias do not have one element per
    /// channel, or if the devices differ.
    #[doc(alias = "instance_norm")]
    #[track_caller]
    pub fn group_norm(
        &self,
        groups: usize,
        weight: &Tensor,
        bias: &Tensor,
        epsilon: f32,
    ) -> Tensor {
        let shape = self.shape();
        let channels = shape.get(1).copied().unwrap_or(0);
        let divisible = channels.checked_rem(groups) == Some(0);
        if shape.len() < 2 || !divisible {
            mistake(format!(
                "group_norm: shape {shape:?} in {groups} groups; it must be \
                 (number, channels, ..), with channels divisible by the groups"
            ));
        }
        if weight.shape() != [channels] || bias.shape() != [channels] {
            mistake(format!(
                "group_norm: a weight of shape {:?} and a bias of shape {:?} \
                 for {channels} channels; both must be [{channels}]",
                weight.shape(),
                bias.shape()
            ));
        }
        let size = shape[1..].iter().product::<usize>() / groups;
        let rows = self.reshape(&[shape[0] * groups, size]);
        let row = |value| {
            Tensor::from(or_raise(self.array().full_here(&[size], value)))
        };
        let normalized = rows.layer_norm(&row(1.0), &row(0.0), epsilon);
        let mut per_channel = vec![1; shape.len()];
        per_channel[1] = channels;
        let scaled =
            normalized.reshape(shape).mul(&weight.reshape(&per_channel));
        scaled.add(&bias.reshape(&per_channel))
    }

    /// Divides each row by its root mean square, and multiplies it by the
    /// weight. A row spans the last axes, which match the axes of the weight.
    /// Unlike [`Tensor::layer_norm`], it does not subtract the mean. `epsilon`
    /// is added to the mean of the squares.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 2], &[1., 7.], Device::Cpu)?;
    /// let one = Tensor::ones(&[2], Device::Cpu)?;
    /// let y = x.rms_norm(&one, 0.0);
    /// assert_eq!(y.to_vec()?, [0.2, 1.4]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the weight does not have the shape of the last axes, or the devices
    /// or the types differ.
    #[track_caller]
    pub fn rms_norm(&self, weight: &Tensor, epsilon: f32) -> Tensor {
        let row = weight.shape();
        if !self.shape().ends_with(row) {
            mistake(format!(
                "rms_norm: a weight of shape {row:?} for {:?}; it must be as \
                 its last axes",
                self.shape()
            ));
        }
        // In 16 bits, the square of 256 would overflow.
        let wide = match self.dtype() {
            DType::F16 => or_raise(self.to_dtype(DType::F32)),
            _ => self.clone(),
        };
        let axes: Vec<usize> = (self.rank() - row.len()..self.rank()).collect();
        let squares = wide.mul(&wide).mean_over(&axes, Keep::Yes);
        let normalized = wide.div(&squares.shift(epsilon).sqrt());
        or_raise(normalized.to_dtype(self.dtype())).mul(weight)
    }
}
