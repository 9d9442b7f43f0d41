// first_forward: an expression on tensors.
//
// WHAT   Nothing is missing here. Run the check to see what a pass looks like.
//        Then change the expression, and check again to see a failure.
// WHY    Every exercise is a file like this one, with a description, a part
//        for you to write, and a check that explains what is wrong.
// READ   One expression, three engines
// CHECK  cargo learn check first_forward

use rungrad::part1_cpu::Tensor;

/// Computes `(a * b) * b`, one operation at a time.
pub fn forward(a: &Tensor, b: &Tensor) -> Tensor {
    let c = a.mul(b);
    c.mul(b)
}
