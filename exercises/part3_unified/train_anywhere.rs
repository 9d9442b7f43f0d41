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
    // Operations that you leave out are ours: `relu: my_relu` is one of
    // yours, and `matmul`, `add` and `log_softmax` are the others.
    Ops { relu: todo!("TODO(train_anywhere): yours"), ..Ops::reference() }
}

// Below this line: your operations. An operation composed of others is
// just a function. One with its own backward rule is a type that
// implements `Function`, as in `mul_function`, and `apply(MyRelu, &[a])`.
// An array has `.matmul(b)` and `.unary(Unary::Relu)`. A tensor has the
// same, `.le(&b)`, which is 1 where it is less than or equal to `b`,
// `.where_cond(&a, &b)`, which selects from `a` where it is 1 and from `b`
// elsewhere, `.zeros_like()`, `.transpose()`, and `.max_over(&[1],
// Keep::Yes)`, like `.sum_over(..)`.
