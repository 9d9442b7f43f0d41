//! Transposed convolution: what a convolution computes as the gradient of its
//! images, as a separate operation.

use super::ConvOptions;
use crate::error::mistake;
use crate::part3_unified::{Tensor, Window};

impl Tensor {
    /// Computes a transposed convolution ("deconvolution") of images (n,
    /// channels, h, w) with filters (channels, outputs per group, height,
    /// width), and adds a bias (outputs). Each element of an image adds a
    /// filter, multiplied by the element, to the result. A stride of 2 doubles
    /// the height and the width.
    ///
    /// The height of the result is `(h - 1) * stride - 2 * padding + dilation *
    /// (height - 1) + 1 + output_padding`, and its width accordingly.
    /// `output_padding` selects one of the sizes that a convolution with this
    /// stride reduces to the same h and w.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::ConvOptions;
    /// let x = Tensor::new(&[1, 1, 1, 2], &[1., 2.], Device::Cpu)?;
    /// let filter = Tensor::new(&[1, 1, 1, 2], &[1., 10.], Device::Cpu)?;
    /// let y = x.conv_transpose2d(&filter, None, &ConvOptions::new(), [0, 0]);
    /// assert_eq!(y.to_vec()?, [1., 12., 20.]);
    /// let double = ConvOptions::new().stride([1, 2]);
    /// let y = x.conv_transpose2d(&filter, None, &double, [0, 0]);
    /// assert_eq!(y.to_vec()?, [1., 10., 2., 20.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the images or the filters do not have four axes, if channels and
    /// groups do not match, if the bias does not have one element per output
    /// channel, if the stride or the dilation is 0, if the padding leaves
    /// nothing of the result, if `output_padding` is not below the stride, or
    /// if the devices differ.
    #[track_caller]
    #[doc(alias("deconvolution", "ConvTranspose2d"))]
    pub fn conv_transpose2d(
        &self,
        filters: &Tensor,
        bias: Option<&Tensor>,
        options: &ConvOptions,
        output_padding: [usize; 2],
    ) -> Tensor {
        let op = "conv_transpose2d";
        let [n, channels, h, w] = self.image_shape(op);
        let [inputs, each, height, width] = filters.image_shape(op);
        let ConvOptions { stride, padding, dilation, groups } = *options;
        if channels != inputs || channels.checked_rem(groups) != Some(0) {
            mistake(format!(
                "{op}: images of {channels} channels and filters for {inputs} \
                 channels in {groups} groups; both need the same number of \
                 channels, divisible by the groups"
            ));
        }
        let window =
            Window { size: [height, width], stride, padding, dilation };
        let image = output_size(&window, [h, w], output_padding);
        // (n, groups, h, w, channels) and
        // (n, groups, outputs, height, width, channels)
        let inner = channels / groups;
        let x = self.reshape(&[n, groups, inner, h, w]);
        let x = x.permute(&[0, 1, 3, 4, 2]);
        let filters = filters.reshape(&[groups, inner, each, height, width]);
        let filters = filters.permute(&[0, 2, 3, 4, 1]);
        let filters = filters.expand(&[n, groups, each, height, width, inner]);
        let windows = x.contract(&filters, 2, 1);
        let windows = windows.permute(&[0, 1, 4, 2, 3, 5, 6]);
        let outputs = groups * each;
        let y = windows.fold(&window, image);
        let y = y.reshape(&[n, outputs, image[0], image[1]]);
        match bias {
            None => y,
            Some(bias) if bias.shape() == [outputs] => {
                y.add(&bias.reshape(&[outputs, 1, 1]))
            }
            Some(bias) => mistake(format!(
                "{op}: a bias of shape {:?} for {outputs} output channels; it \
                 must be [{outputs}], one element for each",
                bias.shape()
            )),
        }
    }
}

/// Returns the height and width of the result.
#[track_caller]
fn output_size(
    window: &Window,
    image: [usize; 2],
    output_padding: [usize; 2],
) -> [usize; 2] {
    let (stride, extent) = (window.stride, window.extent());
    let size = [0, 1].map(|i| {
        let last = image[i].checked_sub(1)?.checked_mul(stride[i])?;
        let whole = last.checked_add(extent[i])?;
        let whole = whole.checked_add(output_padding[i])?;
        let cut = window.padding[i].checked_mul(2)?;
        let is_valid = output_padding[i] < stride[i];
        let positive = [window.size[i], window.dilation[i]];
        let is_valid = is_valid && !positive.contains(&0);
        whole.checked_sub(cut).filter(|&size| size > 0 && is_valid)
    });
    match size {
        [Some(height), Some(width)] => [height, width],
        _ => mistake(format!(
            "conv_transpose2d: images of {image:?}, a window of {window} and \
             an output padding of {output_padding:?} give no result; the \
             output padding must be below the stride, sizes and dilations at \
             least 1, and the padding small enough to leave a pixel"
        )),
    }
}
