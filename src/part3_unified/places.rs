//! Operations that ask where an element stands: comparisons, choices, rows by
//! their numbers, windows over images. Chapter 25 tells of the windows and of
//! their mirror.

use super::functions::*;
use super::ops::alike;
use super::{Array, Binary, Device, Tensor, Window, apply};
use crate::error::{Error, mistake, or_raise, zeros};
use crate::ops::Keep;
use crate::shape::checked_size;

// A comparison is 1 or 0, flat but for its jumps: it has no slope, and what
// it gives is a constant.
impl Tensor {
    /// 1 where this is less, else 0.
    #[track_caller]
    pub fn less(&self, other: &Tensor) -> Tensor {
        self.compare("less", other, |a, b| a.binary(Binary::Less, b))
    }

    /// 1 where this is not greater, else 0.
    #[track_caller]
    pub fn at_most(&self, other: &Tensor) -> Tensor {
        self.compare("at_most", other, |a, b| a.binary(Binary::AtMost, b))
    }

    /// 1 where both are equal, else 0. A NaN equals nothing.
    #[track_caller]
    pub fn equal(&self, other: &Tensor) -> Tensor {
        self.compare("equal", other, |a, b| a.binary(Binary::Equal, b))
    }

    /// 1 where this is greater, else 0.
    #[track_caller]
    pub fn greater(&self, other: &Tensor) -> Tensor {
        self.compare("greater", other, |a, b| b.binary(Binary::Less, a))
    }

    /// 1 where this is not less, else 0.
    #[track_caller]
    pub fn at_least(&self, other: &Tensor) -> Tensor {
        self.compare("at_least", other, |a, b| b.binary(Binary::AtMost, a))
    }

    #[track_caller]
    fn compare(
        &self,
        name: &str,
        other: &Tensor,
        run: fn(&Array, &Array) -> Result<Array, Error>,
    ) -> Tensor {
        let [a, b] = alike(name, [&self.detach(), &other.detach()]);
        Tensor::from(or_raise(run(&a.array, &b.array)))
    }

    /// Where this is not 0 the elements of `a`, elsewhere those of `b`; the
    /// shapes broadcast.
    #[track_caller]
    pub fn choose(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let [mask, a, b] = alike("where", [self, a, b]);
        apply(Where, &[&mask, &a, &b])
    }

    /// Zeros in this tensor's shape and on its device.
    #[track_caller]
    pub fn zeros(&self) -> Tensor {
        let zeros = Array::full(self.shape(), 0.0, self.device());
        Tensor::from(or_raise(zeros))
    }
}

impl Tensor {
    /// The rows of a matrix that are named, in that order, any of them more
    /// than once: (rows, width) -> (places, width).
    #[track_caller]
    pub fn gather(&self, places: &[usize]) -> Tensor {
        let rows = self.shape().first().copied().unwrap_or(0);
        apply(Gather { places: places.to_vec(), rows }, &[self])
    }

    /// Each row of a matrix added to its place among `rows` rows: the mirror
    /// of [`Tensor::gather`].
    #[track_caller]
    pub fn scatter(&self, places: &[usize], rows: usize) -> Tensor {
        apply(Scatter { places: places.to_vec(), rows }, &[self])
    }

    /// From each row the element that its label names:
    /// (rows, classes) -> (rows). It gathers from all elements in a column.
    #[track_caller]
    pub fn pick(&self, labels: &[usize]) -> Tensor {
        self.check_labels(labels);
        let [rows, classes] = [self.shape()[0], self.shape()[1]];
        let places = labels.iter().enumerate().map(|(i, l)| i * classes + l);
        let column = self.reshape(&[rows * classes, 1]);
        column.gather(&places.collect::<Vec<_>>()).reshape(&[rows])
    }

    /// A row for each label, 1 at its class and 0 elsewhere.
    pub fn one_hot(
        labels: &[usize],
        classes: usize,
        device: Device,
    ) -> Result<Tensor, Error> {
        if let Some(label) = labels.iter().find(|&&label| label >= classes) {
            return Err(Error::Mistake(format!(
                "one_hot: label {label} with {classes} classes; labels count \
                 from 0"
            )));
        }
        let mut values = zeros(checked_size(&[labels.len(), classes])?)?;
        for (row, label) in labels.iter().enumerate() {
            values[row * classes + label] = 1.0;
        }
        Tensor::new(&[labels.len(), classes], &values, device)
    }

    #[track_caller]
    pub(super) fn check_labels(&self, labels: &[usize]) {
        let (rows, classes) = match *self.shape() {
            [rows, classes] if classes > 0 => (rows, classes),
            _ => mistake(format!(
                "cross_entropy: the scores have shape {:?}; it must be \
                 (rows, classes), with at least one class",
                self.shape()
            )),
        };
        if rows != labels.len() {
            mistake(format!(
                "cross_entropy: {rows} rows of scores and {} labels; give \
                 one label for each row",
                labels.len()
            ));
        }
        if let Some(label) = labels.iter().find(|&&label| label >= classes) {
            mistake(format!(
                "cross_entropy: label {label} with {classes} classes; labels \
                 count from 0 to {}",
                classes - 1
            ));
        }
    }
}

impl Tensor {
    /// Each place of a window: (.., h, w) -> (.., rows, columns, height,
    /// width).
    #[track_caller]
    pub fn windows(&self, window: &Window) -> Tensor {
        let image = match self.shape() {
            [.., h, w] => [*h, *w],
            _ => [0, 0],
        };
        apply(Windows { window: *window, image }, &[self])
    }

    /// Windows added up to images: the mirror of [`Tensor::windows`].
    #[track_caller]
    pub fn fold(&self, window: &Window, image: [usize; 2]) -> Tensor {
        apply(Fold { window: *window, image }, &[self])
    }

    /// A convolution: images (n, channels, h, w) with filters (filters,
    /// channels, height, width). It is a product of matrices: a row for each
    /// window, a column for each filter.
    #[track_caller]
    pub fn conv2d(
        &self,
        filters: &Tensor,
        step: [usize; 2],
        padding: [usize; 2],
    ) -> Tensor {
        let ([n, c, ..], [out, channels, height, width]) =
            (self.image_shape("conv2d"), filters.image_shape("conv2d"));
        if c != channels {
            mistake(format!(
                "conv2d: images of {c} channels and filters of {channels}; \
                 make them equal"
            ));
        }
        let [down, right] = padding;
        let padded = self.pad(&[[0, 0], [0, 0], [down; 2], [right; 2]]);
        let window = Window { size: [height, width], step };
        // (n, c, rows, columns, height, width)
        let windows = padded.windows(&window);
        let [rows, columns] = [windows.shape()[2], windows.shape()[3]];
        let flat = windows
            .permute(&[0, 2, 3, 1, 4, 5])
            .reshape(&[n * rows * columns, c * height * width]);
        let filters = filters.reshape(&[out, c * height * width]);
        flat.matmul(&filters.transpose())
            .reshape(&[n, rows, columns, out])
            .permute(&[0, 3, 1, 2])
    }

    /// The largest of each window. Those that tie share its gradient.
    #[track_caller]
    pub fn max_pool2d(&self, window: &Window) -> Tensor {
        self.image_shape("max_pool2d");
        self.windows(window).max_over(&[4, 5], Keep::No)
    }

    /// The mean of each window.
    #[track_caller]
    pub fn avg_pool2d(&self, window: &Window) -> Tensor {
        self.image_shape("avg_pool2d");
        self.windows(window).mean_over(&[4, 5], Keep::No)
    }

    #[track_caller]
    fn image_shape(&self, op: &str) -> [usize; 4] {
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
