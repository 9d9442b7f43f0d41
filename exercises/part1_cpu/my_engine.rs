// my_engine: an engine of your own.
//
// WHAT   Build an engine, from an empty `Tensor` to a network that reads
//        digits, in ten levels. Each level requires a few functions and tests
//        them with laws, the same tests that check the engines of this course.
//        Everything else is up to you. The check tells you which level is
//        next, and what it requires.
// WHY    Once you have written every line of an engine, no engine is a
//        mystery.
// READ   An engine of your own
// CHECK  cargo learn check my_engine

/// An array of numbers that remembers how it was computed.
#[derive(Clone)]
pub struct Tensor;
