// train_anywhere: one network, your operations, two devices.
//
// WHAT   `Ops` holds the operations of the network that reads digits. Put
//        yours in the place of ours, as many as you like and at least one:
//        functions on the tensors of Part 3.
// WHY    Nothing that you write names a device, and the same network learns
//        on the processor and on a device, with the same losses. A constant
//        on the wrong device, a sign, a missing transpose: each is found.
// READ   Modules and training anywhere
// CHECK  cargo learn check train_anywhere

use rungrad::Result;
use rungrad::ops::Keep;
use rungrad::part3_unified::{
    Array, Context, Function, Gradients, Op, Tensor, Unary, apply,
};

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    // HOLE
    //| // Those that you leave out are ours: `relu: my_relu` is one of yours,
    //| // and `matmul`, `add` and `log_softmax` are the others.
    //| Ops { relu: todo!("TODO(train_anywhere): yours"), ..Ops::reference() }
    Ops { matmul, relu, log_softmax, ..Ops::reference() }
    // END HOLE
}
// HOLE
//|
//| // Below this line: your operations. One that is made of others is a
//| // function and nothing more. One with a rule of its own is a type that
//| // implements `Function`, as in `mul_function`, and `apply(MyRelu, &[a])`.
//| // An array has `.matmul(b)` and `.unary(Unary::Relu)`; a tensor has these,
//| // `.le(&b)`, which is 1 where it is at most that, `.where_cond(&a, &b)`, which
//| // takes from `a` where it is 1 and from `b` elsewhere, `.zeros_like()`,
//| // `.transpose()`, and `.max_over(&[1], Keep::Yes)` as `.sum_over(..)`.

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

/// Computes the positive part.
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

/// Computes the logarithm of each row's shares, made of others. The largest of
/// a row becomes 0, so that no exponential is too large.
fn log_softmax(a: &Tensor) -> Tensor {
    let below = a.sub(&a.max_over(&[1], Keep::Yes).detach());
    let total = below.exp().sum_over(&[1], Keep::Yes);
    below.sub(&total.log())
}
// END HOLE
