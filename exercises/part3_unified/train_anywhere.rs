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
    // Those that you leave out are ours: `relu: my_relu` is one of yours,
    // and `matmul`, `add` and `log_softmax` are the others.
    Ops { relu: todo!("TODO(train_anywhere): yours"), ..Ops::reference() }
}

// Below this line: your operations. One that is made of others is a
// function and nothing more. One with a rule of its own is a type that
// implements `Function`, as in `mul_function`, and `apply(MyRelu, &[a])`.
// An array has `.matmul(b)` and `.unary(Unary::Relu)`; a tensor has these,
// `.le(&b)`, which is 1 where it is at most that, `.where_cond(&a, &b)`, which
// takes from `a` where it is 1 and from `b` elsewhere, `.zeros_like()`,
// `.transpose()`, and `.max_over(&[1], Keep::Yes)` as `.sum_over(..)`.
