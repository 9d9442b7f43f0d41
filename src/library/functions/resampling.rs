//! Resizing images to any height and width, derived from `index_select`.

use crate::error::{mistake, or_raise};
use crate::part3_unified::{Element, Tensor, with_type};

impl Tensor {
    /// Resizes images (n, channels, h, w) to a height and width, and copies
    /// for each pixel of the result the pixel of the image at its position:
    /// row `i` is row `i * h / height`, rounded down. This is PyTorch's
    /// `interpolate(size, mode="nearest")`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 1, 1, 2], &[1., 2.], Device::Cpu)?;
    /// let y = x.interpolate_nearest([2, 4]);
    /// assert_eq!(y.to_vec()?, [1., 1., 2., 2., 1., 1., 2., 2.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not four axes, or an image or the result has no pixels.
    #[track_caller]
    #[doc(alias("interpolate", "upsample", "resize"))]
    pub fn interpolate_nearest(&self, size: [usize; 2]) -> Tensor {
        let image = self.checked_image("interpolate_nearest", size);
        let indices = |i: usize| -> Vec<usize> {
            (0..size[i]).map(|at| scaled(at, image[i], size[i])).collect()
        };
        self.index_select(2, &indices(0)).index_select(3, &indices(1))
    }

    /// Resizes images (n, channels, h, w) to a height and width by bilinear
    /// interpolation: each pixel of the result is the weighted mean of the four
    /// nearest pixels. When an image shrinks, the other pixels are ignored.
    ///
    /// With `align_corners`, the centers of the corner pixels stay in place;
    /// without it, their outer corners, as is PyTorch's default.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1, 1, 1, 2], &[0., 6.], Device::Cpu)?;
    /// let y = x.interpolate_bilinear([1, 4], true);
    /// assert_eq!(y.to_vec()?, [0., 2., 4., 6.]);
    /// let y = x.interpolate_bilinear([1, 4], false);
    /// assert_eq!(y.to_vec()?, [0., 1.5, 4.5, 6.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not four axes, or an image or the result has no pixels.
    #[track_caller]
    #[doc(alias("interpolate", "upsample", "resize"))]
    pub fn interpolate_bilinear(
        &self,
        size: [usize; 2],
        align_corners: bool,
    ) -> Tensor {
        let image = self.checked_image("interpolate_bilinear", size);
        let mut resized = self.clone();
        for i in [0, 1] {
            let (from, to) = (image[i], size[i]);
            let position = |at: usize| match align_corners {
                true if to == 1 => 0.0,
                true => (at * (from - 1)) as f64 / (to - 1) as f64,
                false => {
                    let center = (at as f64 + 0.5) * from as f64 / to as f64;
                    (center - 0.5).max(0.0)
                }
            };
            let positions: Vec<f64> = (0..to).map(position).collect();
            resized = resized.interpolate_axis(2 + i, &positions);
        }
        resized
    }

    /// Interpolates linearly along an axis at the given positions.
    #[track_caller]
    fn interpolate_axis(&self, axis: usize, positions: &[f64]) -> Tensor {
        let last = self.shape()[axis] - 1;
        let floor = |x: &f64| (*x as usize).min(last);
        let low: Vec<usize> = positions.iter().map(floor).collect();
        let high: Vec<usize> = low.iter().map(|i| (i + 1).min(last)).collect();
        let mut shape = vec![1; self.rank()];
        shape[axis] = positions.len();
        let weight = with_type!(self.dtype(), T => {
            let parts = positions.iter().zip(&low);
            let parts: Vec<T> =
                parts.map(|(x, low)| T::nearest(x - *low as f64)).collect();
            Tensor::of(&shape, &parts, self.device())
        });
        let weight = or_raise(weight);
        let low = self.index_select(axis, &low).mul(&weight.neg().shift(1.0));
        low.add(&self.index_select(axis, &high).mul(&weight))
    }

    /// Returns the height and width of the images after checking that neither
    /// they nor the result are empty.
    #[track_caller]
    fn checked_image(&self, op: &str, size: [usize; 2]) -> [usize; 2] {
        let [_, _, h, w] = self.image_shape(op);
        if [h, w, size[0], size[1]].contains(&0) {
            mistake(format!(
                "{op}: images of {:?} to {size:?}; both need at least one \
                 pixel",
                [h, w]
            ));
        }
        [h, w]
    }
}

/// Returns `at * from / to`, rounded down.
fn scaled(at: usize, from: usize, to: usize) -> usize {
    (at as u128 * from as u128 / to as u128) as usize
}
