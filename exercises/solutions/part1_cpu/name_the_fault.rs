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
    // HOLE
    //| // Fault has Agrees, Sign, Zero, Transposed, Factor(f64) and Unknown.
    //| todo!("TODO(name_the_fault): which faults explain every element?")
    let fits = |wrong: &dyn Fn(usize) -> f64| {
        let near = |i: usize| (yours[i] - wrong(i)).abs() <= 1e-4 * most;
        (0..right.len()).all(near)
    };
    if fits(&|i| right[i]) {
        return Fault::Agrees;
    }
    let names = [
        (fits(&|i| -right[i]), Fault::Sign),
        (fits(&|_| 0.0), Fault::Zero),
        (fits(&|i| right[i % n * n + i / n]), Fault::Transposed),
    ];
    let mut fitting = names.into_iter().filter(|(fits, _)| *fits);
    match (fitting.next(), fitting.next()) {
        (Some((_, only)), None) => return only,
        (Some(_), Some(_)) => return Fault::Unknown,
        (None, _) => {}
    }
    let dot =
        |a: &[f64]| -> f64 { a.iter().zip(right).map(|(a, r)| a * r).sum() };
    let factor = dot(yours) / dot(right);
    let differ = right.iter().any(|r| (r - right[0]).abs() > 1e-4 * most);
    match differ && fits(&|i| factor * right[i]) {
        true => Fault::Factor(factor),
        false => Fault::Unknown,
    }
    // END HOLE
}
