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
    // HOLE
    //| todo!("TODO(function_test): views, values, gradients, second derivatives")
    let weights = [0.5, -1.0, 2.0, 1.5, -0.25, 3.0];
    let weights = constant(&[2, 3], &weights);
    let a = leaf(&[3, 2], &[2.0, -1.5, 0.5, 3.0, -0.25, 4.0]);
    let b = leaf(&[4], &[9.0, 0.5, -2.0, 1.5]);
    // (2, 3), stored by columns, and (3), with an offset.
    let (x, y) = (a.transpose(), b.slice(&[1..4]));
    let product = mul(&x, &y);
    if numbers(&product) != [1.0, -1.0, -0.375, -0.75, -6.0, 6.0] {
        return false;
    }
    let loss = product.mul(&weights).sum();
    let first = grad(&[&loss], &[&a, &b], true);
    let right_a = [0.25, 0.75, 2.0, 0.5, 3.0, 4.5];
    let right_b = [0.0, -1.25, -1.25, 11.5];
    if numbers(&first[0]) != right_a || numbers(&first[1]) != right_b {
        return false;
    }
    // The gradient of a is w * b, so the derivative of its sum is summed over
    // w's columns.
    let total = first[0].sum();
    if total.id().is_none() {
        return false;
    }
    let second = grad(&[&total], &[&b], false).remove(0);
    if numbers(&second) != [0.0, 2.0, -1.25, 5.0] {
        return false;
    }
    // Each operand alone may require a gradient.
    let two = constant(&[1], &[2.0]);
    let three = leaf(&[1], &[3.0]);
    if mul(&two, &three).id().is_none() || mul(&three, &two).id().is_none() {
        return false;
    }
    let square = mul(&three, &three);
    numbers(&grad(&[&square], &[&three], false)[0]) == [6.0]
    // END HOLE
}
