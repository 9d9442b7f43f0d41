// The momentum is taken for the share of what was there.

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
        if !self.is_training {
            let root = (&self.variance + self.epsilon).sqrt();
            return (x - &self.mean) / root;
        }
        let mean = x.mean_over(&[0], Keep::No);
        let gap = x - &mean;
        let variance = (&gap * &gap).mean_over(&[0], Keep::No);
        let rows = x.shape()[0] as f64;
        no_grad(|| {
            let (share, old) = (1.0 - self.momentum, self.momentum);
            let sample = &variance * (rows / (rows - 1.0));
            self.mean = &self.mean * old + &mean * share;
            self.variance = &self.variance * old + sample * share;
        });
        gap / (variance + self.epsilon).sqrt()
    }
}
