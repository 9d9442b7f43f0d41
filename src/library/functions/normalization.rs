//! Layer normalization.

use crate::error::{Result, mistake, or_raise};
use crate::ops::{Keep, Op};
use crate::part3_unified::apply;
use crate::part3_unified::check_same_kind;
use crate::part3_unified::{Array, Context, Function, Gradients, Tensor};

impl Tensor {
    /// Normalizes each row to mean 0 and variance 1, multiplies it by the
    /// weight, and adds the bias. A row spans the last axes, which match the
    /// axes of the weight. `epsilon` is added to the variance, which is
    /// computed without Bessel's correction (divided by n).
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 3., 7., 7.], Device::Cpu)?;
    /// let [one, zero] = [1.0, 0.0].map(|n| Tensor::full(&[2], n, Device::Cpu));
    /// let y = x.layer_norm(&one?, &zero?, 3.0);
    /// assert_eq!(y.to_vec()?, [-0.5, 0.5, 0.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the weight and the bias do not have the shape of the last axes, or
    /// the devices differ.
    #[track_caller]
    pub fn layer_norm(
        &self,
        weight: &Tensor,
        bias: &Tensor,
        epsilon: f32,
    ) -> Tensor {
        let row = weight.shape();
        if !self.shape().ends_with(row) || bias.shape() != row {
            mistake(format!(
                "layer_norm: a weight of shape {row:?} and a bias of {:?} for \
                 {:?}; both must be as its last axes",
                bias.shape(),
                self.shape()
            ));
        }
        let epsilon = f64::from(epsilon);
        apply(LayerNorm { epsilon }, &[self, weight, bias])
    }
}

/// Layer normalization with a weight and a bias.
///
/// With the normalized rows `h` and `g = grad_out * weight`:
/// `grad_a = (g - mean(g) - h * mean(g * h)) / deviation`, row by row. The
/// gradient of the weight is the sum of `grad_out * h` over the rows, and the
/// gradient of the bias is the sum of `grad_out`.
pub struct LayerNorm {
    /// Added to the variance.
    pub epsilon: f64,
}

impl Function for LayerNorm {
    fn op(&self) -> Op {
        Op::LayerNorm(self.epsilon)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        inputs[0].layer_norm(inputs[1], inputs[2], self.epsilon)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (x, weight) = (ctx.input(0), ctx.input(1));
        let row = weight.shape();
        if x.records() || weight.records() || grad_out.records() {
            // If the gradients must themselves be differentiable, compose them
            // from recorded operations.
            let (grad_x, rows) =
                compose_layer_norm_grads(&x, &weight, grad_out, self.epsilon);
            let sum =
                |i, grads: &Tensor| ctx.needs(i).then(|| grads.sum_to(row));
            let [weight, bias] = [sum(1, &rows), sum(2, grad_out)];
            return vec![ctx.needs(0).then_some(grad_x), weight, bias];
        }
        let above = grad_out.array();
        let all =
            x.array().layer_norm_grads(above, weight.array(), self.epsilon);
        let all = or_raise(all).map(Tensor::from).into_iter();
        all.zip(0..).map(|(grad, i)| ctx.needs(i).then_some(grad)).collect()
    }
}

/// Returns the rows normalized to mean 0 and variance 1, and their standard
/// deviations.
#[track_caller]
fn normalize(x: &Tensor, axes: &[usize], epsilon: f64) -> [Tensor; 2] {
    let gap = x.sub(&x.mean_over(axes, Keep::Yes));
    let var = gap.mul(&gap).mean_over(axes, Keep::Yes);
    let deviation = var.shift(epsilon).sqrt();
    [gap.div(&deviation), deviation]
}

fn last_axes(x: &Tensor, row: usize) -> Vec<usize> {
    (x.rank() - row..x.rank()).collect()
}

/// Computes the gradient of the rows, and the gradient of the weight before it
/// is summed over the rows, from other tensor operations.
#[track_caller]
fn compose_layer_norm_grads(
    x: &Tensor,
    weight: &Tensor,
    grad_out: &Tensor,
    epsilon: f64,
) -> (Tensor, Tensor) {
    let axes = last_axes(x, weight.rank());
    let [normalized, deviation] = normalize(x, &axes, epsilon);
    let g = grad_out.mul(weight);
    let mean = |t: &Tensor| t.mean_over(&axes, Keep::Yes);
    let projection = normalized.mul(&mean(&g.mul(&normalized)));
    let grad_x = g.sub(&mean(&g)).sub(&projection).div(&deviation);
    (grad_x, grad_out.mul(&normalized))
}

impl Array {
    /// Normalizes each row to mean 0 and variance 1, multiplies it by the
    /// weight, and adds the bias. A row spans the last axes, which match the
    /// axes of the weight.
    pub fn layer_norm(
        &self,
        weight: &Array,
        bias: &Array,
        epsilon: f64,
    ) -> Result<Array> {
        check_same_kind("layer_norm", self, weight)?;
        check_same_kind("layer_norm", self, bias)?;
        if self.is_empty() {
            return Ok(self.clone());
        }
        self.filled(self.shape(), |backend| {
            backend.layer_norm([self, weight, bias], epsilon)
        })
    }

    /// Computes the gradients of the rows, the weight and the bias.
    pub fn layer_norm_grads(
        &self,
        grad_out: &Array,
        weight: &Array,
        epsilon: f64,
    ) -> Result<[Array; 3]> {
        check_same_kind("layer_norm_grads", self, weight)?;
        check_same_kind("layer_norm_grads", self, grad_out)?;
        if self.is_empty() {
            let none = Array::full(weight.shape(), 0.0, self.device())?;
            let none = none.to_dtype(self.dtype())?;
            return Ok([self.clone(), none.clone(), none]);
        }
        let inputs = [self, grad_out, weight];
        let grads =
            self.device().backend()?.layer_norm_grads(inputs, epsilon)?;
        let [grad_self, grad_weight, grad_bias] = grads;
        let row =
            |storage| Array::dense(self.device(), storage, weight.shape());
        Ok([self.dense_like(grad_self), row(grad_weight), row(grad_bias)])
    }
}
