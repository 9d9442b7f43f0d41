//! Convolution, a product of windows and filters, built in "Windows and a
//! product".

use super::super::apply;
use super::super::arithmetic::alike;
use super::super::{Array, Context, Function, Gradients, Tensor, Window};
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;

/// How the filters of a convolution move: as a [`Window`] does, whose size
/// they know themselves, and in so many groups.
///
/// ```
/// use rungrad::part3_unified::ConvOptions;
/// let options = ConvOptions::new().stride([2, 2]).padding([1, 1]);
/// assert_eq!(options.groups, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvOptions {
    /// How far they move at a time, down and to the right.
    pub stride: [usize; 2],
    /// How many zeros stand on each side of an image.
    pub padding: [usize; 2],
    /// How far apart neighbors in a filter lie in the image.
    pub dilation: [usize; 2],
    /// The channels and the filters are divided into so many groups, and a
    /// filter sees the channels of its own.
    pub groups: usize,
}

impl ConvOptions {
    /// Begins with one place at a time, no padding, no gaps, and all channels
    /// in one group.
    pub fn new() -> ConvOptions {
        let Window { stride, padding, dilation, .. } = Window::new([1, 1]);
        ConvOptions { stride, padding, dilation, groups: 1 }
    }

    /// Sets how far the filters move at a time.
    pub fn stride(self, stride: [usize; 2]) -> ConvOptions {
        ConvOptions { stride, ..self }
    }

    /// Sets how many zeros stand on each side of an image.
    pub fn padding(self, padding: [usize; 2]) -> ConvOptions {
        ConvOptions { padding, ..self }
    }

    /// Sets how far apart neighbors in a filter lie in the image.
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
    /// of a group, height, width), and adds to each filter its bias
    /// (filters). It is a product of filters and windows, which are a view;
    /// an OpenCL device copies them for the product where it has many filters.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::ConvOptions;
    /// let image = Tensor::new(&[1, 1, 2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let filter = Tensor::new(&[1, 1, 2, 2], &[1.; 4], Device::Cpu)?;
    /// let bias = Tensor::new(&[1], &[0.5], Device::Cpu)?;
    /// let out = image.conv2d(&filter, Some(&bias), &ConvOptions::new());
    /// assert_eq!(out.to_vec()?, [10.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the images or the filters have not four axes, if channels, filters
    /// and groups do not fit, if there is not a bias for each filter, if a
    /// filter does not fit an image, or if the devices differ.
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
        or_raise(alike("conv2d", &self.array, &filters.array));
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

/// The windows of images times filters, in groups. The product takes the
/// windows as a view, and what waits for backward is the image.
pub struct Conv2d {
    /// How the filters move.
    pub window: Window,
    /// The channels and the filters are divided into so many.
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
        let windows = images.reshape(&self.images(images.shape()));
        let windows = windows?.windows(&self.window)?;
        let windows = windows.permute(&[0, 1, 3, 4, 2, 5, 6])?;
        // The same filters for each image.
        let each = self.filters(filters.shape());
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
    /// Views images as (n, groups, channels of a group, h, w)
    fn images(&self, shape: &[usize]) -> [usize; 5] {
        let channels = shape[1] / self.groups;
        [shape[0], self.groups, channels, shape[2], shape[3]]
    }

    /// Views filters as (groups, filters of a group, channels of a group,
    /// height, width)
    fn filters(&self, shape: &[usize]) -> [usize; 5] {
        let out = shape[0] / self.groups;
        [self.groups, out, shape[1], shape[2], shape[3]]
    }

    /// Gives each filter its windows, times what came of them.
    fn grad_filters(&self, ctx: &Context, grad_out: &Tensor) -> Tensor {
        // ANCHOR: grad-filters
        let images = ctx.input(0);
        let windows = images.reshape(&self.images(images.shape()));
        let windows = windows.windows(&self.window);
        // (groups, filters, n, rows, columns) and
        // (groups, channels, height, width, n, rows, columns)
        let grads = grad_out.reshape(&self.images(grad_out.shape()));
        let grads = grads.permute(&[1, 2, 0, 3, 4]);
        let windows = windows.permute(&[1, 2, 5, 6, 0, 3, 4]);
        grads.contract(&windows, 1, 3).reshape(ctx.shape(1))
        // ANCHOR_END: grad-filters
    }

    /// Gives each element its share: it has been under each number of a
    /// filter. So, where the filters move by one place, its gradient is a
    /// convolution too, with the filters turned around.
    fn grad_images(&self, ctx: &Context, grad_out: &Tensor) -> Tensor {
        let [groups, out, channels, height, width] = self.filters(ctx.shape(1));
        let filters = ctx.input(1).reshape(&self.filters(ctx.shape(1)));
        let Window { stride, padding, dilation, .. } = self.window;
        // ANCHOR: turned
        let extent = self.window.extent();
        let around = [0, 1].map(|i| (extent[i] - 1).checked_sub(padding[i]));
        if let ([1, 1], [Some(down), Some(right)]) = (stride, around) {
            let shape = [groups * channels, out, height, width];
            let turned = filters.flip(&[3, 4]).permute(&[0, 2, 1, 3, 4]);
            let options = ConvOptions {
                stride,
                padding: [down, right],
                dilation,
                groups,
            };
            return grad_out.conv2d(&turned.reshape(&shape), None, &options);
        }
        // ANCHOR_END: turned
        // (n, groups, rows, columns, filters) and
        // (n, groups, channels, height, width, filters)
        let grads = grad_out.reshape(&self.images(grad_out.shape()));
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
