//! Convolution as a product of windows and filters, built in "Windows and a
//! product".

use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;
use crate::part3_unified::apply;
use crate::part3_unified::check_same_kind;
use crate::part3_unified::{
    Array, Context, Function, Gradients, Tensor, Window,
};

/// Options of a convolution: the fields of a [`Window`] without its size,
/// which comes from the filters, and the number of groups.
///
/// ```
/// use rungrad::ConvOptions;
/// let options = ConvOptions::new().stride([2, 2]).padding([1, 1]);
/// assert_eq!(options.groups, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvOptions {
    /// The step between neighboring windows, vertical and horizontal.
    pub stride: [usize; 2],
    /// The number of zeros added on each side of an image, vertical and
    /// horizontal.
    pub padding: [usize; 2],
    /// The distance in the image between neighboring elements of a filter.
    pub dilation: [usize; 2],
    /// The channels and the filters are divided into this many groups; a
    /// filter sees only the channels of its group.
    pub groups: usize,
}

impl ConvOptions {
    /// Creates the default options: stride 1, no padding, dilation 1, and one
    /// group.
    pub fn new() -> ConvOptions {
        let Window { stride, padding, dilation, .. } = Window::new([1, 1]);
        ConvOptions { stride, padding, dilation, groups: 1 }
    }

    /// Sets the stride.
    pub fn stride(self, stride: [usize; 2]) -> ConvOptions {
        ConvOptions { stride, ..self }
    }

    /// Sets the padding.
    pub fn padding(self, padding: [usize; 2]) -> ConvOptions {
        ConvOptions { padding, ..self }
    }

    /// Sets the dilation.
    pub fn dilation(self, dilation: [usize; 2]) -> ConvOptions {
        ConvOptions { dilation, ..self }
    }

    /// Sets the number of groups.
    pub fn groups(self, groups: usize) -> ConvOptions {
        ConvOptions { groups, ..self }
    }
}

impl Default for ConvOptions {
    fn default() -> ConvOptions {
        ConvOptions::new()
    }
}

impl Tensor {
    /// Convolves images (n, channels, h, w) with filters (filters, channels
    /// per group, height, width), and adds a bias (filters). This is a
    /// contraction of the filters with the windows of the images, which are a
    /// view; an OpenCL device copies the windows if there are many filters.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::ConvOptions;
    /// let image = Tensor::new(&[1, 1, 2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let filter = Tensor::new(&[1, 1, 2, 2], &[1.; 4], Device::Cpu)?;
    /// let bias = Tensor::new(&[1], &[0.5], Device::Cpu)?;
    /// let out = image.conv2d(&filter, Some(&bias), &ConvOptions::new());
    /// assert_eq!(out.to_vec()?, [10.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the images or the filters do not have four axes, if channels,
    /// filters and groups do not match, if the bias does not have one element
    /// per filter, if a filter is larger than a padded image, or if the
    /// devices differ.
    #[track_caller]
    #[doc(alias = "convolution")]
    pub fn conv2d(
        &self,
        filters: &Tensor,
        bias: Option<&Tensor>,
        options: &ConvOptions,
    ) -> Tensor {
        let ([_, c, ..], [out, channels, height, width]) =
            (self.image_shape("conv2d"), filters.image_shape("conv2d"));
        let ConvOptions { stride, padding, dilation, groups } = *options;
        if groups == 0 || out % groups != 0 || c != channels * groups {
            mistake(format!(
                "conv2d: images of {c} channels and {out} filters of \
                 {channels}, in {groups} groups; a group takes its share of \
                 the channels, and has its share of the filters"
            ));
        }
        or_raise(check_same_kind("conv2d", self.array(), filters.array()));
        let size = [height, width];
        let window = Window { size, stride, padding, dilation };
        let sums = apply(Conv2d { window, groups }, &[self, filters]);
        match bias {
            None => sums,
            Some(bias) if bias.shape() == [out] => {
                sums.add(&bias.reshape(&[out, 1, 1]))
            }
            Some(bias) => mistake(format!(
                "conv2d: a bias of shape {:?} for {out} filters; it must be \
                 [{out}], one for each",
                bias.shape()
            )),
        }
    }
}

/// A grouped convolution of images with filters. The windows are a view, so
/// the graph stores only the images for the backward pass.
pub struct Conv2d {
    /// The size and the steps of the windows.
    pub window: Window,
    /// The number of groups of channels and filters.
    pub groups: usize,
}

impl Function for Conv2d {
    fn op(&self) -> Op {
        Op::Conv2d(Box::new(self.window), self.groups)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let (images, filters) = (inputs[0], inputs[1]);
        if ctx.needs(0) {
            ctx.save_input(1, filters);
        }
        if ctx.needs(1) {
            ctx.save_input(0, images);
        }
        // ANCHOR: forward
        // (n, groups, channels, rows, columns, height, width)
        let windows = images.reshape(&self.grouped_images(images.shape()));
        let windows = windows?.windows(&self.window)?;
        let windows = windows.permute(&[0, 1, 3, 4, 2, 5, 6])?;
        // Broadcast the filters over the images of the batch.
        let each = self.grouped_filters(filters.shape());
        let all = [&[images.shape()[0]], &each[..]].concat();
        let filters = filters.reshape(&each)?.expand(&all)?;
        let sums = filters.contract(&windows, 2, 3)?;
        let [n, groups, out, rows, columns] = sums.shape() else {
            unreachable!("a batch, filters and places")
        };
        sums.reshape(&[*n, groups * out, *rows, *columns])
        // ANCHOR_END: forward
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![
            ctx.needs(0).then(|| self.grad_images(ctx, grad_out)),
            ctx.needs(1).then(|| self.grad_filters(ctx, grad_out)),
        ]
    }
}

impl Conv2d {
    /// Returns the shape of the images with separate groups: (n, groups,
    /// channels per group, h, w).
    fn grouped_images(&self, shape: &[usize]) -> [usize; 5] {
        let channels = shape[1] / self.groups;
        [shape[0], self.groups, channels, shape[2], shape[3]]
    }

    /// Returns the shape of the filters with separate groups: (groups, filters
    /// per group, channels per group, height, width).
    fn grouped_filters(&self, shape: &[usize]) -> [usize; 5] {
        let out = shape[0] / self.groups;
        [self.groups, out, shape[1], shape[2], shape[3]]
    }

    /// Computes the gradient of the filters: the windows, weighted by the
    /// upstream gradient of the results that they contributed to.
    fn grad_filters(&self, ctx: &Context, grad_out: &Tensor) -> Tensor {
        // ANCHOR: grad-filters
        let images = ctx.input(0);
        let windows = images.reshape(&self.grouped_images(images.shape()));
        let windows = windows.windows(&self.window);
        // (groups, filters, n, rows, columns) and
        // (groups, channels, height, width, n, rows, columns)
        let grads = grad_out.reshape(&self.grouped_images(grad_out.shape()));
        let grads = grads.permute(&[1, 2, 0, 3, 4]);
        let windows = windows.permute(&[1, 2, 5, 6, 0, 3, 4]);
        grads.contract(&windows, 1, 3).reshape(ctx.shape(1))
        // ANCHOR_END: grad-filters
    }

    /// Computes the gradient of the images. With a stride of 1 this is a
    /// convolution of the upstream gradient with the flipped filters.
    /// Otherwise, the gradients of the windows are computed and folded into
    /// images.
    fn grad_images(&self, ctx: &Context, grad_out: &Tensor) -> Tensor {
        let [groups, out, channels, height, width] =
            self.grouped_filters(ctx.shape(1));
        let filters = ctx.input(1).reshape(&self.grouped_filters(ctx.shape(1)));
        let Window { stride, padding, dilation, .. } = self.window;
        // ANCHOR: turned
        let extent = self.window.extent();
        let around = [0, 1].map(|i| (extent[i] - 1).checked_sub(padding[i]));
        if let ([1, 1], [Some(down), Some(right)]) = (stride, around) {
            let shape = [groups * channels, out, height, width];
            let flipped = filters.flip(&[3, 4]).permute(&[0, 2, 1, 3, 4]);
            let options = ConvOptions {
                stride,
                padding: [down, right],
                dilation,
                groups,
            };
            return grad_out.conv2d(&flipped.reshape(&shape), None, &options);
        }
        // ANCHOR_END: turned
        // (n, groups, rows, columns, filters) and
        // (n, groups, channels, height, width, filters)
        let grads = grad_out.reshape(&self.grouped_images(grad_out.shape()));
        let grads = grads.permute(&[0, 1, 3, 4, 2]);
        let n = ctx.shape(0)[0];
        let each = filters.permute(&[0, 2, 3, 4, 1]);
        let each = each.expand(&[n, groups, channels, height, width, out]);
        let windows = grads.contract(&each, 2, 1);
        let windows = windows.permute(&[0, 1, 4, 2, 3, 5, 6]);
        let image = [ctx.shape(0)[2], ctx.shape(0)[3]];
        windows.fold(&self.window, image).reshape(ctx.shape(0))
    }
}
