//! More loss functions.

use crate::checks;
use crate::error::{mistake, or_raise};
use crate::part3_unified::{Element, Tensor, with_type};

impl Tensor {
    /// Computes the cross-entropy loss as a weighted mean over the rows. A row
    /// with weight 0 is ignored; use it for padding after the end of a text.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let scores = Tensor::new(&[2, 2], &[0., 0., 1., 9.], Device::Cpu)?;
    /// let loss = scores.weighted_cross_entropy(&[0, 0], &[3.0, 0.0]);
    /// assert_eq!(loss.item()?, 2f32.ln());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one valid label and one weight for each row, or the sum
    /// of the weights is not positive.
    #[doc(alias = "ignore_index")]
    #[track_caller]
    pub fn weighted_cross_entropy(
        &self,
        labels: &[usize],
        weights: &[f32],
    ) -> Tensor {
        let what = "weighted_cross_entropy";
        or_raise(checks::labels(what, self.shape(), labels));
        let total: f64 = weights.iter().map(|&it| f64::from(it)).sum();
        if weights.len() != labels.len() || total.is_nan() || total <= 0.0 {
            mistake(format!(
                "{what}: {} weights with the sum {total} for {} rows; it \
                 takes one for each, and some above 0",
                weights.len(),
                labels.len()
            ));
        }
        let rows = [labels.len()];
        let shares = with_type!(self.dtype(), T => {
            let share = |&it: &f32| T::nearest(-f64::from(it) / total);
            let shares: Vec<T> = weights.iter().map(share).collect();
            Tensor::of(&rows, &shares, self.device())
        });
        self.log_softmax().pick(labels).mul(&or_raise(shares)).sum()
    }
}
