// name_the_fault: a diagnosis that is right or silent.
//
// WHAT   `yours` and `right` are gradients of an n x n matrix, row by row.
//        Name what is wrong with `yours`: `Sign`, `Zero` or `Transposed`, if
//        exactly one of these explains every element. Otherwise return
//        `Factor(f)` if every element is f times the right one and the right
//        ones are not all equal, and `Unknown` if not. Return `Agrees` if
//        nothing is wrong.
// WHY    "index 3: -2, should be 2" is a fact. "The sign is wrong everywhere"
//        is more helpful, but only if it is true.
// READ   Nudge it
// CHECK  cargo learn check name_the_fault

use super::Fault;

/// Names what is wrong with a gradient, up to 1e-4 of the largest element.
pub fn name(yours: &[f64], right: &[f64], n: usize) -> Fault {
    let most = right.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
    // Fault has Agrees, Sign, Zero, Transposed, Factor(f64) and Unknown.
    todo!("TODO(name_the_fault): which faults explain every element?")
}
