//! A sliding window over an image, used in "Strides".

use std::fmt;

use crate::error::{Error, Result};

/// A sliding window over the last two axes of an image. Each pair is vertical
/// first, then horizontal.
///
/// ```
/// use rungrad::shape::Window;
/// let window = Window::new([3, 3]).stride([2, 2]).padding([1, 1]);
/// assert_eq!(window.positions(&[5, 7])?, [3, 4]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Height and width.
    pub size: [usize; 2],
    /// The distance between two positions of the window.
    pub stride: [usize; 2],
    /// The number of zeros added on each side of the image.
    pub padding: [usize; 2],
    /// The distance in the image between two neighbors in the window.
    pub dilation: [usize; 2],
}

impl Window {
    /// Creates a window with this height and width, stride 1, no padding and
    /// dilation 1.
    pub fn new(size: [usize; 2]) -> Window {
        Window { size, stride: [1, 1], padding: [0, 0], dilation: [1, 1] }
    }

    /// Sets the stride.
    pub fn stride(self, stride: [usize; 2]) -> Window {
        Window { stride, ..self }
    }

    /// Sets the padding.
    pub fn padding(self, padding: [usize; 2]) -> Window {
        Window { padding, ..self }
    }

    /// Sets the dilation.
    pub fn dilation(self, dilation: [usize; 2]) -> Window {
        Window { dilation, ..self }
    }

    /// Returns the height and width of the area that the window covers,
    /// including the gaps of a dilation.
    pub fn extent(&self) -> [usize; 2] {
        [0, 1].map(|i| {
            let gaps = self.size[i].saturating_sub(1);
            gaps.saturating_mul(self.dilation[i]).saturating_add(1)
        })
    }

    /// Returns the height and width of an image after padding.
    pub fn padded(&self, image: [usize; 2]) -> [usize; 2] {
        let twice = self.padding.map(|padding| padding.saturating_mul(2));
        [0, 1].map(|i| twice[i].saturating_add(image[i]))
    }

    /// Returns the number of window positions, vertical and horizontal.
    ///
    /// # Errors
    ///
    /// If a size, stride or dilation is 0, or the window is larger than the
    /// padded image.
    pub fn positions(&self, shape: &[usize]) -> Result<[usize; 2]> {
        let extent = self.extent();
        let numbers = [self.size, self.stride, self.dilation];
        if let [.., h, w] = shape
            && !numbers.as_flattened().contains(&0)
        {
            let image = self.padded([*h, *w]);
            if extent[0] <= image[0] && extent[1] <= image[1] {
                let positions = |i| (image[i] - extent[i]) / self.stride[i] + 1;
                return Ok([0, 1].map(positions));
            }
        }
        Err(Error::Mistake(format!(
            "windows: a window of {self} does not fit the last two axes of \
             shape {shape:?}; its sides, strides and dilations are at least \
             1, and it is no larger than the padded image"
        )))
    }
}

/// Formats the size, and the settings that differ from [`Window::new`].
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Window::new(self.size);
        write!(f, "{:?}", self.size)?;
        for (word, pair, usual) in [
            ("stride", self.stride, plain.stride),
            ("padding", self.padding, plain.padding),
            ("dilation", self.dilation, plain.dilation),
        ] {
            if pair != usual {
                write!(f, " {word} {pair:?}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_require_a_window_that_fits() {
        let positions = |window: Window| window.positions(&[2, 5, 6]).ok();
        let window = Window::new([2, 3]);
        assert_eq!(positions(window), Some([4, 4]));
        assert_eq!(positions(window.stride([2, 3])), Some([2, 2]));
        assert_eq!(positions(window.dilation([4, 2])), Some([1, 2]));
        assert_eq!(positions(window.dilation([5, 1])), None);
        let padded = window.dilation([5, 1]).padding([1, 0]);
        assert_eq!(positions(padded), Some([2, 4]));
        assert_eq!(positions(window.stride([0, 1])), None);
        assert_eq!(positions(window.dilation([1, 0])), None);
        assert_eq!(positions(Window::new([0, 1])), None);
        assert_eq!(positions(window.dilation([usize::MAX; 2])), None);
        assert!(window.positions(&[6]).is_err());
    }

    #[test]
    fn windows_print_only_non_default_options() {
        let window = Window::new([2, 3]);
        assert_eq!(window.to_string(), "[2, 3]");
        let window = window.stride([2, 1]).padding([0, 1]);
        assert_eq!(window.to_string(), "[2, 3] stride [2, 1] padding [0, 1]");
    }
}
