// find_the_values: from derivatives back to numbers.
//
// WHAT   (a * b) * b has a derivative with respect to `a` and one with respect
//        to `b`. Choose the two numbers so that the first is 25 and the second
//        is -30.
// WHY    A derivative says how fast the result changes when only one number
//        changes. To find the numbers for given derivatives, you must know
//        what they mean.
// READ   One expression, three engines
// CHECK  cargo learn check find_the_values

/// Returns `a` and `b`.
pub fn values() -> (f32, f32) {
    (3.0, -5.0)
}
