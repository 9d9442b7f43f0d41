// running_statistics: one layer, two modes.
//
// WHAT   A batch norm without weights. In training it brings each column of
//        a batch to mean 0 and variance 1, and moves two running means on;
//        in evaluation it takes these, and changes nothing.
// WHY    It is the one common layer in which a row's answer depends on its
//        neighbors, and whoever forgets the mode finds that out in the end.
// MIND   A batch's variance is the mean of its squares. What is kept of it is
//        that of a sample: times rows / (rows - 1).
// READ   What makes training work
// CHECK  cargo learn check running_statistics

use rungrad::part3_unified::{Keep, Tensor, no_grad};

/// A batch norm of so many columns.
pub struct Norm {
    /// Shape (columns), 0 at first.
    pub mean: Tensor,
    /// Shape (columns), 1 at first.
    pub variance: Tensor,
    /// The share of a new batch in both.
    pub momentum: f64,
    /// What is added to a variance, under the root.
    pub epsilon: f64,
    pub is_training: bool,
}

impl Norm {
    /// Computes (rows, columns) -> (rows, columns), with two rows or more.
    pub fn forward(&mut self, x: &Tensor) -> Tensor {
        // `x.mean_over(&[axis], Keep::No)` is the mean along an axis, and
        // `a.sqrt()` the root. Gradients go through the batch's mean and
        // variance, and what is kept is computed in `no_grad(|| ..)`.
        todo!("TODO(running_statistics): whose mean, whose variance?")
    }
}
