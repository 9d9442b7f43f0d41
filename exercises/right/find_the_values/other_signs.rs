// find_the_values: from slopes back to numbers.
//
// WHAT   (a * b) * b has a slope along `a` and one along `b`. Choose the two
//        numbers so that the first slope is 25 and the second -30.
// WHY    A slope says how far the result moves when one number moves alone.
//        Whoever finds the numbers that belong to given slopes has read them.
// READ   One expression, three engines
// CHECK  cargo learn check find_the_values

/// Names `a` and `b`.
pub fn values() -> (f32, f32) {
    (3.0, -5.0)
}
