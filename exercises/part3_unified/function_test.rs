// function_test: the test that no wrong product passes.
//
// WHAT   You are handed a product of tensors, and say whether it is right:
//        its values, its gradients, the gradient of its gradient, for views
//        of every kind. The check hands you one that is right, and eight that
//        are not.
// WHY    Every one of the eight passes a test that multiplies two fresh
//        tensors of one shape and looks at one gradient. Views, flags and
//        second slopes are where engines are wrong in silence.
// READ   Gradients through views and devices
// CHECK  cargo learn check function_test

use rungrad::part3_unified::{Device, Tensor, grad};

/// Makes a tensor of the processor.
fn constant(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::new(shape, values, Device::Cpu).expect("as many as the shape says")
}

fn leaf(shape: &[usize], values: &[f32]) -> Tensor {
    constant(shape, values).requires_grad()
}

/// Returns the numbers in row-major order.
fn numbers(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().expect("the processor has them")
}

/// Tells whether `mul` is the product of two tensors whose shapes broadcast.
pub fn accepts(mul: &dyn Fn(&Tensor, &Tensor) -> Tensor) -> bool {
    todo!("TODO(function_test): views, values, gradients, second slopes")
}
