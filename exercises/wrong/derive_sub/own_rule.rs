// The right numbers by a rule, and a sign that is wrong in it: the more rules,
// the more of these.

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    a * -1.0
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &[a, b], difference, |grad_out| {
        vec![grad_out.clone(), grad_out.clone()]
    })
}

/// Subtracts from a number: `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    neg(a) + number
}
