//! A gradient check for functions of tensors.

use crate::error::{Error, Result, or_raise};
use crate::gradcheck::{compare, slope};
use crate::part3_unified::{DType, Tensor, no_grad};
use crate::reference;

/// Checks the gradients of a function of tensors, such as a new
/// [`Function`](crate::part3_unified::Function): compares them with finite
/// differences, both in `f64`, on the devices of the inputs.
///
/// ```
/// use rungrad::{Device, Tensor, gradcheck};
///
/// let a = Tensor::rand(&[2, 3], 0, Device::Cpu)?;
/// let b = Tensor::rand(&[3, 2], 1, Device::Cpu)?;
/// gradcheck(|x| x[0].matmul(&x[1]).tanh(), &[&a, &b])?;
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Errors
///
/// If a gradient differs, with a table and the most likely cause, or if a
/// device does not support `f64`.
///
/// # Panics
///
/// If `f` panics, or does not use its inputs.
#[track_caller]
pub fn gradcheck(
    f: impl Fn(&[Tensor]) -> Tensor,
    inputs: &[&Tensor],
) -> Result<()> {
    let leaves = inputs
        .iter()
        .map(|input| Ok(input.detach().to_dtype(DType::F64)?.requires_grad()));
    let leaves = leaves.collect::<Result<Vec<_>>>()?;
    let out = f(&leaves);
    // The upstream gradient: a different number for each element.
    let weights = Tensor::rand(out.shape(), 0, out.device())? - 0.5;
    let weights = weights.to_dtype(out.dtype())?;
    out.mul(&weights).sum().backward();
    let loss = |inputs: &[reference::Array]| {
        let inputs = inputs.iter().zip(&leaves);
        let inputs = inputs.map(|(x, leaf)| {
            or_raise(Tensor::of(&x.shape, &x.values, leaf.device()))
        });
        let inputs: Vec<Tensor> = inputs.collect();
        let loss = no_grad(|| f(&inputs).mul(&weights).sum());
        or_raise(loss.item_of::<f64>())
    };
    let points = leaves.iter().map(array).collect::<Result<Vec<_>>>()?;
    for (index, leaf) in leaves.iter().enumerate() {
        let grad = leaf.grad().unwrap_or_else(|| leaf.zeros_like());
        let right = slope(&points, index, loss);
        if let Some(mismatch) = compare(&array(&grad)?, &right, &[]) {
            return Err(Error::Mistake(format!(
                "gradcheck: the gradient of input {index} differs from finite \
                 differences:\n{mismatch}"
            )));
        }
    }
    Ok(())
}

fn array(tensor: &Tensor) -> Result<reference::Array> {
    let (shape, values) = (tensor.shape().to_vec(), tensor.to_vec_of()?);
    Ok(reference::Array { shape, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Op;
    use crate::part3_unified::{
        Array, Binary, Context, Device, Function, Gradients, apply,
    };

    /// The square, with half of its gradient.
    struct Half;

    impl Function for Half {
        fn op(&self) -> Op {
            Op::Custom("half")
        }

        fn forward(
            &self,
            ctx: &mut Context,
            inputs: &[&Array],
        ) -> Result<Array> {
            ctx.save_input(0, inputs[0]);
            inputs[0].binary(Binary::Mul, inputs[0])
        }

        fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
            vec![Some(grad_out * ctx.input(0))]
        }
    }

    /// Promise: `gradcheck` names the input whose gradient is wrong, and the
    /// cause.
    #[test]
    fn a_wrong_gradient_is_named_with_its_input() {
        let x = Tensor::new(&[2], &[3.0, -1.0], Device::Cpu).unwrap();
        gradcheck(|x| x[0].mul(&x[0]).add(&x[1]), &[&x, &x]).unwrap();
        let wrong = |x: &[Tensor]| x[0].exp() + apply(Half, &[&x[1]]);
        let error = gradcheck(wrong, &[&x, &x]).unwrap_err().to_string();
        let start = "gradcheck: the gradient of input 1 differs from finite";
        assert!(error.starts_with(start), "{error}");
        let end = "every element is 0.5000 times the right one";
        assert!(error.ends_with(end), "{error}");
    }
}
