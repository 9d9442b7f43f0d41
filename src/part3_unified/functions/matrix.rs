//! The product of matrices.

use super::super::{Array, Context, Function, Gradients, Tensor, apply};
use crate::error::Result;
use crate::ops::Op;
use crate::shape::broadcast;

impl Tensor {
    /// Multiplies matrices: (.., m, k) x (.., k, n) -> (.., m, n). The axes
    /// in front broadcast. A vector is a matrix of one row or one column:
    /// [`Tensor::unsqueeze`] says which.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let v = Tensor::new(&[2], &[1., 10.], Device::Cpu)?;
    /// assert_eq!(x.matmul(&x).to_vec()?, [7., 10., 15., 22.]);
    /// assert_eq!(x.matmul(&v.unsqueeze(1)).to_vec()?, [21., 43.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If one has fewer than two axes, if the left has not as many columns as
    /// the right has rows, if the axes in front do not broadcast, or if the
    /// devices differ.
    #[track_caller]
    #[doc(alias = "mm")]
    #[doc(alias = "bmm")]
    #[doc(alias = "dot")]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        if let ([a @ .., m, k], [b @ .., l, n]) = (self.shape(), other.shape())
            && a != b
            && let Some(outer) = broadcast(a, b)
        {
            let a = self.expand(&[&outer, &[*m, *k][..]].concat());
            let b = other.expand(&[&outer, &[*l, *n][..]].concat());
            return apply(Matmul, &[&a, &b]);
        }
        apply(Matmul, &[self, other])
    }
}

/// The product of each matrix with its partner, the axes in front equal.
///
/// `grad_a = grad_out b^T`, `grad_b = a^T grad_out`.
pub struct Matmul;

impl Function for Matmul {
    fn op(&self) -> Op {
        Op::Matmul
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].matmul(inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![
            ctx.needs(0).then(|| grad_out.matmul(&ctx.input(1).transpose())),
            ctx.needs(1).then(|| ctx.input(0).transpose().matmul(grad_out)),
        ]
    }
}
