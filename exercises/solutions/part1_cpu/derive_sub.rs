// derive_sub: three operations without a rule.
//
// WHAT   Write `neg`, `sub` and `number_minus` with what the engine has:
//        sums, and products with a number. Write no rule.
// WHY    What is made of operations that have rules has its gradient for
//        nothing. Each rule that is not written cannot be wrong.
// READ   Few rules, many operations
// CHECK  cargo learn check derive_sub

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    // HOLE
    //| // A tensor times a number is `a * 3.0`.
    //| todo!("TODO(derive_sub): -a as a product")
    a * -1.0
    // END HOLE
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    // HOLE
    //| todo!("TODO(derive_sub): a - b as a sum")
    a + neg(b)
    // END HOLE
}

/// Subtracts from a number: `number - a`, the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    // HOLE
    //| todo!("TODO(derive_sub): number - a as a sum")
    neg(a) + number
    // END HOLE
}
