//! Matrix multiplication, reshaping, softmax and cross-entropy, built in
//! "Matmul" and "Right on paper, wrong in f32".

use std::rc::Rc;

use ndarray::{ArrayD, Axis, IxDyn};

use super::Tensor;
use super::array::{matmul, permute, reshape, slice, sum_axes, zip};
use crate::checks;
use crate::error::{or_raise, room};
use crate::ops::Op;
use crate::shape::size;

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
/// assert_eq!(x.matmul(&x).to_vec(), [7., 10., 15., 22.]);
/// ```
///
/// # Panics
///
/// If an operand is not a matrix, or the number of columns of `self` differs
/// from the number of rows of `other`.
// ANCHOR: matmul
impl Tensor {
    /// Multiplies matrices: (m, k) x (k, n) -> (m, n).
    ///
    /// `grad_a = grad_out b^T`, `grad_b = a^T grad_out`.
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        let shape = or_raise(checks::matmul_2d(self.shape(), other.shape()));
        or_raise(room::<f32>(size(&shape)));
        let (a, b) = (self.data(), other.data());
        let product = matmul(a.view(), b.view());
        Tensor::record(Op::Matmul, &[self, other], product, move |grad_out| {
            let grad_a = matmul(grad_out.view(), b.t());
            let grad_b = matmul(a.t(), grad_out.view());
            vec![grad_a, grad_b]
        })
    }
}
// ANCHOR_END: matmul

impl Tensor {
    /// Changes the shape. The elements keep their row-major order.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    /// assert_eq!(x.reshape(&[3, 2]).shape(), [3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If the new shape has a different number of elements.
    #[doc(alias = "view")]
    #[track_caller]
    pub fn reshape(&self, shape: &[usize]) -> Tensor {
        or_raise(checks::reshape(self.shape(), shape));
        let from = self.shape().to_vec();
        let op = Op::Reshape(shape.to_vec());
        let out = reshape(&self.data(), shape);
        Tensor::record(op, &[self], out, move |grad_out| {
            vec![reshape(grad_out, &from)]
        })
    }

    /// Swaps the last two axes.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
    /// assert_eq!(x.transpose().to_vec(), [1., 3., 2., 4.]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    #[track_caller]
    pub fn transpose(&self) -> Tensor {
        or_raise(checks::two_axes("transpose", self.shape()));
        let axes = self.shape().len();
        let mut order = self.all_axes();
        order.swap(axes - 2, axes - 1);
        let out = permute(&self.data(), &order);
        Tensor::record(Op::Permute(order.clone()), &[self], out, move |g| {
            // Swapping two axes is its own inverse.
            vec![permute(g, &order)]
        })
    }
}

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[7.0, 7.0]);
/// assert_eq!(x.softmax().to_vec(), [0.5, 0.5]);
/// assert_eq!(x.log_softmax().to_vec(), [-2f32.ln(); 2]);
/// ```
///
/// # Panics
///
/// If the tensor has no axes.
// ANCHOR: log-softmax
impl Tensor {
    /// Computes probabilities, `e^a / sum(e^a)` along the last axis.
    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        or_raise(checks::last_axis("softmax", self.shape()));
        self.log_softmax().exp()
    }

    /// Computes the logarithm of [`Tensor::softmax`]. The maximum of each row
    /// is subtracted first, so no exponential overflows.
    ///
    /// `grad_a = grad_out - softmax(a) * sum(grad_out)`, row by row.
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        or_raise(checks::last_axis("log_softmax", self.shape()));
        let last = self.shape().len() - 1;
        let y = Rc::new(log_softmax(&self.data()));
        let op = Op::LogSoftmax;
        Tensor::record(op, &[self], Rc::clone(&y), move |grad_out| {
            let total = sum_axes(grad_out, &[last]).insert_axis(Axis(last));
            let scaled = zip("log_softmax", &y, &total, |y, t| y.exp() * t);
            vec![zip("log_softmax", grad_out, &scaled, |g, s| g - s)]
        })
    }
}
// ANCHOR_END: log-softmax

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let scores = Tensor::new(&[3, 2], &[0.0; 6]);
/// assert_eq!(scores.cross_entropy(&[0, 1, 1]).to_vec(), [2f32.ln()]);
/// ```
///
/// # Panics
///
/// If the scores are not a matrix, or there is not one valid label per row.
// ANCHOR: cross-entropy
impl Tensor {
    /// Computes the mean cross-entropy of scores (n, classes) and the correct
    /// class of each row: minus the logarithm of its probability.
    #[track_caller]
    pub fn cross_entropy(&self, labels: &[usize]) -> Tensor {
        or_raise(checks::labels("cross_entropy", self.shape(), labels));
        self.log_softmax().pick(labels).mean().neg()
    }

    /// Selects from each row the element at its label's index:
    /// (n, classes) -> (n). All other elements get a gradient of 0.
    fn pick(&self, labels: &[usize]) -> Tensor {
        let shape = self.shape().to_vec();
        let rows = labels.iter().enumerate();
        let offsets: Vec<usize> =
            rows.map(|(row, label)| row * shape[1] + label).collect();
        let scores = self.data();
        let picked = offsets.iter().map(|&i| slice(&scores)[i]).collect();
        let out = ArrayD::from_shape_vec(IxDyn(&shape[..1]), picked)
            .expect("one element for each row");
        let op = Op::Pick(labels.to_vec());
        Tensor::record(op, &[self], out, move |grad_out| {
            let mut grad = ArrayD::zeros(IxDyn(&shape));
            let elements = grad.as_slice_mut().expect("row-major order");
            for (&offset, &g) in offsets.iter().zip(slice(grad_out)) {
                elements[offset] = g;
            }
            vec![grad]
        })
    }
}
// ANCHOR_END: cross-entropy

// ANCHOR: stable
/// Computes log-softmax along the last axis. Subtracting the maximum of a row
/// makes its largest element 0, so no exponential exceeds 1 and their sum is
/// at least 1.
fn log_softmax(a: &ArrayD<f32>) -> ArrayD<f32> {
    let columns = a.shape()[a.ndim() - 1].max(1);
    let mut out = a.clone();
    let elements = out.as_slice_mut().expect("row-major order");
    for row in elements.chunks_mut(columns) {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total: f64 = row.iter().map(|x| f64::from((x - max).exp())).sum();
        let log = total.ln() as f32;
        // In two steps: in `max + log` a large maximum would round `log` away.
        row.iter_mut().for_each(|x| *x = *x - max - log);
    }
    out
}
// ANCHOR_END: stable
