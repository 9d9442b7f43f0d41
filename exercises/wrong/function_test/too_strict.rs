// function_test: the test that no wrong product passes.
//
// WHAT   You are handed a product of tensors, and say whether it is right:
//        its values, its gradients, the gradient of its gradient, for views
//        of every kind. The check hands you one that is right, and eight that
//        are not.
// WHY    Every one of the eight passes a test that multiplies two fresh
//        tensors of one shape and looks at one gradient. Views, flags and
//        second slopes are where engines are wrong in silence.
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
    let weights = [0.5, -1.0, 2.0, 1.5, -0.25, 3.0];
    let weights = constant(&[2, 3], &weights);
    let a = leaf(&[3, 2], &[2.0, -1.5, 0.5, 3.0, -0.25, 4.0]);
    let b = leaf(&[4], &[9.0, 0.5, -2.0, 1.5]);
    // (2, 3), its columns side by side; and (3), behind the first.
    let (x, y) = (a.transpose(), b.slice(&[1..4]));
    let product = mul(&x, &y);
    if product.shape() != [3, 2]
        || numbers(&product) != [1.0, -1.0, -0.375, -0.75, -6.0, 6.0]
    {
        return false;
    }
    let loss = product.mul(&weights).sum();
    let first = grad(&[&loss], &[&a, &b], true);
    let right_a = [0.25, 0.75, 2.0, 0.5, 3.0, 4.5];
    let right_b = [0.0, -1.25, -1.25, 11.5];
    if numbers(&first[0]) != right_a || numbers(&first[1]) != right_b {
        return false;
    }
    // The gradient of a is w * b: its sum has the slope of w's columns.
    let total = first[0].sum();
    if total.id().is_none() {
        return false;
    }
    let second = grad(&[&total], &[&b], false).remove(0);
    if numbers(&second) != [0.0, 2.0, -1.25, 5.0] {
        return false;
    }
    // Each operand alone may need a gradient.
    let two = constant(&[1], &[2.0]);
    let three = leaf(&[1], &[3.0]);
    if mul(&two, &three).id().is_none() || mul(&three, &two).id().is_none() {
        return false;
    }
    let square = mul(&three, &three);
    numbers(&grad(&[&square], &[&three], false)[0]) == [6.0]
}
