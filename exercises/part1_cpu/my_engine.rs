// my_engine: an engine of your own.
//
// WHAT   From an empty `Tensor` to a network that reads digits, in ten levels.
//        Each asks for a few functions and holds them to laws: those that
//        judge the engines of this course. What is not on its list is yours
//        to decide. The check says which level is next, and what it takes.
// WHY    Who has written every line of an engine is afraid of none.
// READ   An engine of your own
// CHECK  cargo learn check my_engine

/// An array of numbers that remembers how it was computed.
#[derive(Clone)]
pub struct Tensor;
