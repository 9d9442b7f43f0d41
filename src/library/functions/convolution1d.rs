//! Convolution of sequences, derived from the convolution of images.

use super::ConvOptions;
use crate::error::mistake;
use crate::part3_unified::Tensor;

/// Options of a one-dimensional convolution; see [`Tensor::conv1d`].
///
/// ```
/// use rungrad::Conv1dOptions;
/// let options = Conv1dOptions::new().stride(2).padding(1);
/// assert_eq!(options.dilation, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv1dOptions {
    /// The step between neighboring windows.
    pub stride: usize,
    /// The number of zeros added at each end of a sequence.
    pub padding: usize,
    /// The distance in the sequence between neighboring elements of a filter.
    pub dilation: usize,
    /// The number of groups of channels and filters; a filter sees only the
    /// channels of its group.
    pub groups: usize,
}

impl Conv1dOptions {
    /// Creates the default options: stride 1, no padding, dilation 1, and one
    /// group.
    pub fn new() -> Conv1dOptions {
        Conv1dOptions { stride: 1, padding: 0, dilation: 1, groups: 1 }
    }

    /// Sets the stride.
    pub fn stride(self, stride: usize) -> Conv1dOptions {
        Conv1dOptions { stride, ..self }
    }

    /// Sets the padding.
    pub fn padding(self, padding: usize) -> Conv1dOptions {
        Conv1dOptions { padding, ..self }
    }

    /// Sets the dilation.
    pub fn dilation(self, dilation: usize) -> Conv1dOptions {
        Conv1dOptions { dilation, ..self }
    }

    /// Sets the number of groups.
    pub fn groups(self, groups: usize) -> Conv1dOptions {
        Conv1dOptions { groups, ..self }
    }
}

impl Default for Conv1dOptions {
    fn default() -> Conv1dOptions {
        Conv1dOptions::new()
    }
}

impl Tensor {
    /// Convolves sequences (n, channels, length) with filters (filters,
    /// channels per group, size), and adds a bias (filters). This is
    /// [`Tensor::conv2d`] of images with one row.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::Conv1dOptions;
    /// let x = Tensor::new(&[1, 1, 4], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let filter = Tensor::new(&[1, 1, 2], &[1., 10.], Device::Cpu)?;
    /// let y = x.conv1d(&filter, None, &Conv1dOptions::new().stride(2));
    /// assert_eq!(y.to_vec()?, [21., 43.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the sequences or the filters do not have three axes, if channels,
    /// filters and groups do not match, if the bias does not have one element
    /// per filter, if a filter is larger than a padded sequence, or if the
    /// devices differ.
    #[track_caller]
    #[doc(alias = "convolution")]
    pub fn conv1d(
        &self,
        filters: &Tensor,
        bias: Option<&Tensor>,
        options: &Conv1dOptions,
    ) -> Tensor {
        if self.rank() != 3 || filters.rank() != 3 {
            mistake(format!(
                "conv1d: sequences of shape {:?} and filters of shape {:?}; \
                 they must be (number, channels, length) and (filters, \
                 channels per group, size)",
                self.shape(),
                filters.shape()
            ));
        }
        let Conv1dOptions { stride, padding, dilation, groups } = *options;
        let options = ConvOptions {
            stride: [1, stride],
            padding: [0, padding],
            dilation: [1, dilation],
            groups,
        };
        let rows = [self, filters].map(|x| x.unsqueeze(2));
        rows[0].conv2d(&rows[1], bias, &options).squeeze(2)
    }
}
