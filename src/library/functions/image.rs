//! Windows over images, folding, and pooling, built in "Windows and a
//! product".

use crate::error::{Result, mistake};
use crate::ops::{Keep, Op};
use crate::part3_unified::apply;
use crate::part3_unified::{
    Array, Context, Function, Gradients, Tensor, Window,
};

impl Tensor {
    /// Returns every position of a window: (.., h, w) -> (.., rows, columns,
    /// height, width). Data is copied only if there is padding.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::Window;
    /// let row = Tensor::new(&[1, 4], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let pairs = row.windows(&Window::new([1, 2]).stride([1, 2]));
    /// assert_eq!(pairs.shape(), [1, 2, 1, 2]);
    /// assert_eq!(pairs.to_vec()?, [1., 2., 3., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the window is larger than the padded image; see
    /// [`Window::positions`].
    #[track_caller]
    #[doc(alias = "unfold")]
    #[doc(alias = "im2col")]
    pub fn windows(&self, window: &Window) -> Tensor {
        apply(Windows(*window), &[self])
    }
}

// ANCHOR: windows
/// All positions of a window: (.., h, w) -> (.., rows, columns, height,
/// width). The gradient of an element is the sum of the gradients of its
/// copies.
pub struct Windows(pub Window);

impl Function for Windows {
    fn op(&self) -> Op {
        Op::Windows(Box::new(self.0))
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].windows(&self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let shape = ctx.shape(0);
        let image = [shape[shape.len() - 2], shape[shape.len() - 1]];
        vec![Some(grad_out.fold(&self.0, image))]
    }
}
// ANCHOR_END: windows

impl Tensor {
    /// Adds overlapping windows up to images of the given height and width.
    /// This is the gradient of [`Tensor::windows`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::Window;
    /// let pairs = Tensor::new(&[1, 2, 1, 2], &[1.; 4], Device::Cpu)?;
    /// let row = pairs.fold(&Window::new([1, 2]), [1, 3]);
    /// assert_eq!(row.to_vec()?, [1., 2., 1.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the number or the size of the windows does not match the image.
    #[track_caller]
    #[doc(alias = "col2im")]
    pub fn fold(&self, window: &Window, image: [usize; 2]) -> Tensor {
        apply(Fold { window: *window, image }, &[self])
    }
}

// ANCHOR: fold
/// Overlapping windows added up to images: the gradient of [`Windows`].
pub struct Fold {
    /// The window.
    pub window: Window,
    /// The height and width of an image.
    pub image: [usize; 2],
}

impl Function for Fold {
    fn op(&self) -> Op {
        Op::Fold(Box::new(self.window), self.image)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].fold(&self.window, self.image)
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.windows(&self.window))]
    }
}
// ANCHOR_END: fold

impl Tensor {
    /// Returns the maximum of each window of images (n, channels, h, w). Tied
    /// maxima share the gradient. Padding is never the maximum. The default
    /// stride of a window is 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::Window;
    /// let image = Tensor::new(&[1, 1, 2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let pool = Window::new([2, 2]).stride([2, 2]);
    /// assert_eq!(image.max_pool2d(&pool).to_vec()?, [4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not four axes, if the window is larger than the padded
    /// image, or if a window could contain nothing but padding.
    #[track_caller]
    pub fn max_pool2d(&self, window: &Window) -> Tensor {
        self.image_shape("max_pool2d");
        let [down, right] = window.padding;
        let [height, width] = window.extent();
        if down > height / 2 || right > width / 2 {
            mistake(format!(
                "max_pool2d: a window of {window} would show nothing but \
                 padding at the edge; pad at most half of it"
            ));
        }
        let padded = match window.padding {
            [0, 0] => self.clone(),
            _ => self.pad_with(
                &[[0, 0], [0, 0], [down; 2], [right; 2]],
                f32::NEG_INFINITY,
            ),
        };
        let (windows, axes) = padded.pooling_windows(&window.padding([0, 0]));
        windows.max_over(&axes, Keep::No)
    }

    // ANCHOR: pooled
    /// Returns a view in which each window spans two axes, and the numbers of
    /// these axes. If the windows tile the image, the view is a reshape, so
    /// that the backward pass has no overlaps to add up.
    #[track_caller]
    fn pooling_windows(&self, window: &Window) -> (Tensor, [usize; 2]) {
        let [n, channels, h, w] = self.image_shape("pool");
        let [height, width] = window.size;
        let side_by_side = Window::new(window.size).stride(window.size);
        let fits = |n: usize, size| n > 0 && n.checked_rem(size) == Some(0);
        if *window == side_by_side && fits(h, height) && fits(w, width) {
            let (rows, columns) = (h / height, w / width);
            let shape = [n, channels, rows, height, columns, width];
            return (self.reshape(&shape), [3, 5]);
        }
        (self.windows(window), [4, 5])
    }
    // ANCHOR_END: pooled

    /// Returns the mean of each window of images (n, channels, h, w). Padding
    /// counts as 0. The default stride of a window is 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::Window;
    /// let image = Tensor::new(&[1, 1, 2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// assert_eq!(image.avg_pool2d(&Window::new([2, 2])).to_vec()?, [2.5]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not four axes, or the window is larger than the padded
    /// image.
    #[track_caller]
    pub fn avg_pool2d(&self, window: &Window) -> Tensor {
        self.image_shape("avg_pool2d");
        let (windows, axes) = self.pooling_windows(window);
        windows.mean_over(&axes, Keep::No)
    }

    #[track_caller]
    pub(super) fn image_shape(&self, op: &str) -> [usize; 4] {
        let Ok(shape) = self.shape().try_into() else {
            mistake(format!(
                "{op}: shape {:?} is not (number, channels, height, width); \
                 reshape it to four axes",
                self.shape()
            ))
        };
        shape
    }
}
