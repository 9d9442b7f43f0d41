// function_test: a test that no wrong product passes.
//
// WHAT   You get a function that should multiply tensors. Return whether it is
//        right: its values, its gradients and the gradients of its gradients,
//        for all kinds of views. The check calls your test with one right
//        function and eight wrong ones.
// WHY    Each of the eight passes a test that multiplies two new tensors of
//        the same shape and compares one gradient. Views, flags and second
//        derivatives are where engines have silent bugs.
// READ   Gradients through views and devices
// CHECK  cargo learn check function_test

use rungrad::part3_unified::{Device, Tensor, grad};

/// Creates a tensor on the processor.
fn constant(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::new(shape, values, Device::Cpu).expect("one value per element")
}

fn leaf(shape: &[usize], values: &[f32]) -> Tensor {
    constant(shape, values).requires_grad()
}

/// Returns the elements in row-major order.
fn numbers(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().expect("it is on the processor")
}

/// Returns whether `mul` is the product of two tensors whose shapes broadcast.
pub fn accepts(mul: &dyn Fn(&Tensor, &Tensor) -> Tensor) -> bool {
    todo!("TODO(function_test): views, values, gradients, second derivatives")
}
