// find_the_values, again: from derivatives back to numbers.
//
// WHAT   (a * b) * b has a derivative with respect to `a` and one with respect
//        to `b`. Choose the two numbers so that the first is @first@ and the
//        second is @second@.
// READ   One expression, three engines
// CHECK  cargo learn again find_the_values

/// Returns `a` and `b`.
pub fn values() -> (f32, f32) {
    // HOLE
    //| todo!("TODO(find_the_values): (a, b)")
    (@a@f32, @b@f32)
    // END HOLE
}
