// find_the_values, again: from slopes back to numbers.
//
// WHAT   (a * b) * b has a slope along `a` and one along `b`. Choose the two
//        numbers so that the first slope is @first@ and the second @second@.
// READ   One expression, three engines
// CHECK  cargo learn again find_the_values

/// Names `a` and `b`.
pub fn values() -> (f32, f32) {
    // HOLE
    //| todo!("TODO(find_the_values): (a, b)")
    (@a@f32, @b@f32)
    // END HOLE
}
