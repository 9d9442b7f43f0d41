// train_anywhere: one network, your operations, two devices.
//
// WHAT   `Ops` holds the operations of the network that reads digits. Replace
//        at least one of our operations by your own: a function on the tensors
//        of Part 3.
// WHY    Your code does not name a device, and the same network learns on the
//        processor and on a GPU, with the same losses. The check finds a
//        constant on the wrong device, a wrong sign, and a missing transpose.
// READ   Modules and training anywhere
// CHECK  cargo learn check train_anywhere

use rungrad::Result;
use rungrad::ops::Keep;
use rungrad::part3_unified::{
    Array, Context, Function, Gradients, Op, Tensor, Unary, apply,
};

use super::Ops;

/// Returns the operations of the network.
pub fn ops() -> Ops {
    // HOLE
    //| // Operations that you leave out are ours: `relu: my_relu` is one of
    //| // yours, and `matmul`, `add` and `log_softmax` are the others.
    //| Ops { relu: todo!("TODO(train_anywhere): yours"), ..Ops::reference() }
    Ops { matmul, relu, log_softmax, ..Ops::reference() }
    // END HOLE
}
// HOLE
//|
//| // Below this line: your operations. An operation composed of others is
//| // just a function. One with its own backward rule is a type that
//| // implements `Function`, as in `mul_function`, and `apply(MyRelu, &[a])`.
//| // An array has `.matmul(b)` and `.unary(Unary::Relu)`. A tensor has the
//| // same, `.le(&b)`, which is 1 where it is less than or equal to `b`,
//| // `.where_cond(&a, &b)`, which selects from `a` where it is 1 and from `b`
//| // elsewhere, `.zeros_like()`, `.transpose()`, and `.max_over(&[1],
//| // Keep::Yes)`, like `.sum_over(..)`.

/// Multiplies (m, k) x (k, n) -> (m, n).
fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
    apply(Product, &[a, b])
}

struct Product;

impl Function for Product {
    fn op(&self) -> Op {
        Op::named("matmul")
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

/// Computes ReLU.
fn relu(a: &Tensor) -> Tensor {
    apply(Positive, &[a])
}

struct Positive;

impl Function for Positive {
    fn op(&self) -> Op {
        Op::named("relu")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].unary(Unary::Relu)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let a = ctx.input(0);
        let stopped = a.le(&a.zeros_like());
        vec![Some(stopped.where_cond(&grad_out.zeros_like(), grad_out))]
    }
}

/// Computes the logarithm of each row's softmax from other operations. The
/// maximum of a row is subtracted, so that no exponential overflows.
fn log_softmax(a: &Tensor) -> Tensor {
    let below = a.sub(&a.max_over(&[1], Keep::Yes).detach());
    let total = below.exp().sum_over(&[1], Keep::Yes);
    below.sub(&total.log())
}
// END HOLE
