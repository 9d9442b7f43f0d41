// running_statistics: one layer, two modes.
//
// WHAT   Write a batch norm without weights. In training it normalizes each
//        column of a batch to mean 0 and variance 1 and updates two running
//        means. In evaluation it uses the running means and changes nothing.
// WHY    It is the only common layer in which the output of a row depends on
//        the other rows of the batch, and forgetting the mode is a common bug.
// MIND   The batch is normalized with the mean of the squared distances. The
//        running variance uses the sample variance: that mean times rows /
//        (rows - 1).
// READ   What makes training work
// CHECK  cargo learn check running_statistics

use rungrad::part3_unified::{Keep, Tensor, no_grad};

/// A batch norm.
pub struct Norm {
    /// Shape (columns), initially 0.
    pub mean: Tensor,
    /// Shape (columns), initially 1.
    pub variance: Tensor,
    /// The weight of a new batch in both running means.
    pub momentum: f64,
    /// Added to a variance before the square root.
    pub epsilon: f64,
    pub is_training: bool,
}

impl Norm {
    /// Computes (rows, columns) -> (rows, columns), with two rows or more.
    pub fn forward(&mut self, x: &Tensor) -> Tensor {
        // `x.mean_over(&[axis], Keep::No)` is the mean over an axis, and
        // `a.sqrt()` the square root. Gradients flow through the batch's
        // mean and variance; the running ones are updated inside
        // `no_grad(|| ..)`.
        todo!("TODO(running_statistics): which mean, and which variance?")
    }
}
