//! Matrix multiplication and tensor contraction.

use super::super::{Array, Context, Function, Gradients, Tensor, apply};
use crate::error::Result;
use crate::ops::Op;
use crate::shape::broadcast;

impl Tensor {
    /// Multiplies matrices: (.., m, k) x (.., k, n) -> (.., m, n). The leading
    /// axes broadcast. Use [`Tensor::unsqueeze`] to turn a vector into a
    /// matrix with one row or one column.
    ///
    /// On a device with tensor cores, a large `f32` matmul has full `f32`
    /// accuracy only if its operands are 0 or larger than about 1e-34. Tensor
    /// cores drop the last 13 bits of subnormal numbers, so results near 1e-40
    /// can be off by up to 0.7 %. Set `RUNGRAD_TENSOR_CORES=off` to compute
    /// without them.
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
    /// If an operand has fewer than two axes, if the left operand's columns do
    /// not match the right operand's rows, if the leading axes do not
    /// broadcast, or if the devices differ.
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

/// Batched matrix multiplication; the leading axes must be equal.
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

impl Tensor {
    /// Generalized matmul (a tensor contraction):
    /// (batch.., rows.., inner..) x (batch.., columns.., inner..) -> (batch..,
    /// rows.., columns..). The first `batch` axes are batched, and the last
    /// `inner` axes are summed over. Views that cannot be reshaped to matrices
    /// without a copy, such as the windows of an image, are multiplied
    /// as they are.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// assert_eq!(x.contract(&x, 0, 1).to_vec()?, [5., 11., 11., 25.]);
    /// assert_eq!(x.contract(&x, 0, 2).to_vec()?, [30.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the batch or inner axes differ, or the devices differ.
    #[track_caller]
    #[doc(alias = "tensordot")]
    #[doc(alias = "einsum")]
    pub fn contract(
        &self,
        other: &Tensor,
        batch: usize,
        inner: usize,
    ) -> Tensor {
        apply(Contract { batch, inner }, &[self, other])
    }
}

/// A tensor contraction. Each operand's gradient is a contraction of
/// `grad_out` with the other operand, over the axes that the other operand
/// contributed to the result.
pub struct Contract {
    /// The number of leading axes that are batched.
    pub batch: usize,
    /// The number of trailing axes that are summed over.
    pub inner: usize,
}

impl Function for Contract {
    fn op(&self) -> Op {
        Op::Contract(self.batch, self.inner)
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        if ctx.needs(0) {
            ctx.save_input(1, inputs[1]);
        }
        if ctx.needs(1) {
            ctx.save_input(0, inputs[0]);
        }
        inputs[0].contract(inputs[1], self.batch, self.inner)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let Contract { batch, inner } = *self;
        // (batch.., x.., y..) -> (batch.., y.., x..), where y is the last `y`
        // axes.
        let turn = |t: &Tensor, y: usize| {
            let (n, x) = (t.rank(), t.rank() - y);
            let axes: Vec<usize> =
                (0..batch).chain(x..n).chain(batch..x).collect();
            t.permute(&axes)
        };
        let lines = |i: usize| ctx.shape(i).len() - batch - inner;
        let (rows, columns) = (lines(0), lines(1));
        vec![
            ctx.needs(0).then(|| {
                let b = turn(&ctx.input(1), inner);
                grad_out.contract(&b, batch, columns)
            }),
            ctx.needs(1).then(|| {
                let a = turn(&ctx.input(0), inner);
                turn(grad_out, columns).contract(&a, batch, rows)
            }),
        ]
    }
}
