//! Losses of classifiers with PyTorch's options: cross-entropy with class
//! weights and label smoothing, and binary cross-entropy.

use crate::checks;
use crate::error::{mistake, or_raise};
use crate::part3_unified::{Element, Tensor, with_type};

impl Tensor {
    /// Computes the mean cross-entropy loss of scores (n, classes) with label
    /// smoothing and class weights. [`Tensor::cross_entropy`] is this without
    /// both.
    ///
    /// `label_smoothing` is the part of the target probability that is spread
    /// evenly over all classes. A row is multiplied by the weight of its label,
    /// and the loss is divided by the sum of these weights. With both, each
    /// class of the even part is multiplied by its own weight, as in PyTorch.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let scores = Tensor::new(&[2, 2], &[0., 0., 1., 9.], Device::Cpu)?;
    /// let loss = scores.cross_entropy_with(&[0, 1], Some(&[1., 0.]), 0.0);
    /// assert_eq!(loss.item()?, 2f32.ln());
    /// let even = scores.slice(..1).cross_entropy_with(&[0], None, 0.1);
    /// assert!((even.item()? - 2f32.ln()).abs() < 1e-6);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one valid label per row and one weight per class, if a
    /// weight is negative or not finite, if the weights of the labels add up
    /// to 0, as those of an empty batch, or if the smoothing is not from 0 to
    /// 1.
    #[doc(alias("cross_entropy", "label_smoothing", "weight"))]
    #[track_caller]
    pub fn cross_entropy_with(
        &self,
        labels: &[usize],
        class_weights: Option<&[f32]>,
        label_smoothing: f32,
    ) -> Tensor {
        let op = "cross_entropy_with";
        let [rows, classes] =
            or_raise(checks::labels(op, self.shape(), labels));
        if !(0.0..=1.0).contains(&label_smoothing) {
            mistake(format!(
                "{op}: the label smoothing is {label_smoothing}; give a number \
                 from 0 to 1"
            ));
        }
        let weights = match class_weights {
            Some(weights) => weights.to_vec(),
            None => vec![1.0; classes],
        };
        if weights.len() != classes {
            mistake(format!(
                "{op}: {} class weights for {classes} classes; give one for \
                 each class",
                weights.len()
            ));
        }
        for (class, &weight) in weights.iter().enumerate() {
            let name = format!("weight of class {class}");
            or_raise(checks::not_negative(op, &name, weight));
        }
        let row_weights = labels.iter().map(|&label| weights[label]);
        let row_weights: Vec<f32> = row_weights.collect();
        let total: f64 = row_weights.iter().map(|&w| f64::from(w)).sum();
        if total == 0.0 {
            mistake(format!(
                "{op}: the class weights of the {rows} labels add up to 0; \
                 give at least one label a class with a weight above 0"
            ));
        }
        let log = self.log_softmax();
        let smoothing = f64::from(label_smoothing);
        let label_scale = -(1.0 - smoothing) / total;
        let target = self.scaled_row(&row_weights, label_scale);
        let loss = log.pick(labels).mul(&target).sum();
        if smoothing == 0.0 {
            // A score of minus infinity must not become infinity times 0.
            return loss;
        }
        let even_scale = -smoothing / (classes as f64 * total);
        let even = self.scaled_row(&weights, even_scale);
        loss.add(&log.mul(&even).sum())
    }

    /// Creates a vector of this tensor's type and device.
    #[track_caller]
    fn scaled_row(&self, values: &[f32], scale: f64) -> Tensor {
        let row = with_type!(self.dtype(), T => {
            let scaled = values.iter().map(|&x| f64::from(x) * scale);
            let scaled: Vec<T> = scaled.map(T::nearest).collect();
            Tensor::of(&[scaled.len()], &scaled, self.device())
        });
        or_raise(row)
    }

    /// Computes the mean binary cross-entropy loss of scores before the
    /// sigmoid, with a target probability from 0 to 1 for each score. Unlike
    /// the logarithm of [`Tensor::sigmoid`], it is finite for every finite
    /// score.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let scores = Tensor::new(&[2], &[0.0, -200.0], Device::Cpu)?;
    /// let target = Tensor::new(&[2], &[1.0, 1.0], Device::Cpu)?;
    /// let loss = scores.bce_with_logits(&target);
    /// assert_eq!(loss.item()?, (2f32.ln() + 200.0) / 2.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes, the devices or the types differ.
    #[doc(alias("binary_cross_entropy_with_logits", "BCEWithLogitsLoss"))]
    #[track_caller]
    pub fn bce_with_logits(&self, target: &Tensor) -> Tensor {
        let shapes = (self.shape(), target.shape());
        or_raise(checks::same_shape("bce_with_logits", shapes.0, shapes.1));
        // -log(sigmoid(x)) is softplus(-x), and -log(1 - sigmoid(x)) is
        // softplus(x). Neither cancels against another term.
        let yes = target.mul(&self.neg().softplus());
        let no = target.neg().shift(1.0).mul(&self.softplus());
        yes.add(&no).mean()
    }
}
