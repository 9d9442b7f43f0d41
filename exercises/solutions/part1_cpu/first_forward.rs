// first_forward: an expression on tensors.
//
// WHAT   Nothing is missing here. Check it, and see what a yes looks like.
//        Then change it, check again, and see a no.
// WHY    Every exercise is a file like this one: what it is about, what is
//        yours to write, and a check that says more than yes or no.
// READ   One expression, three engines
// CHECK  cargo learn check first_forward

use rungrad::part1_cpu::Tensor;

/// Computes `(a * b) * b`, one operation after the other.
pub fn forward(a: &Tensor, b: &Tensor) -> Tensor {
    let c = a.mul(b);
    c.mul(b)
}
