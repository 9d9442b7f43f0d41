// derive_sub: three operations without a rule.
//
// WHAT   Write `neg`, `sub` and `number_minus` with the engine's operations:
//        addition, and multiplication by a number. Do not write a backward
//        rule.
// WHY    An operation composed of operations with rules gets its gradient
//        automatically. A rule that you do not write cannot be wrong.
// READ   Few rules, many operations
// CHECK  cargo learn check derive_sub

use rungrad::part1_cpu::Tensor;

/// Negates: `-a`.
pub fn neg(a: &Tensor) -> Tensor {
    // HOLE
    //| // A tensor times a number is `a * 3.0`.
    //| todo!("TODO(derive_sub): -a as a multiplication")
    a * -1.0
    // END HOLE
}

/// Subtracts: `a - b`.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    // HOLE
    //| todo!("TODO(derive_sub): a - b as an addition")
    a + neg(b)
    // END HOLE
}

/// Subtracts from a number: `number - a`, with the number first.
pub fn number_minus(number: f32, a: &Tensor) -> Tensor {
    // HOLE
    //| todo!("TODO(derive_sub): number - a as an addition")
    neg(a) + number
    // END HOLE
}
