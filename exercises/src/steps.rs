//! The steps of the checks that a page of the book runs too, on what its reader
//! types. All other checks have their steps in `checks/`.

pub mod find_the_values;
pub mod first_forward;
pub mod mul_rule;

use rungrad::part1_cpu::Tensor;

/// A learner's function of two tensors.
pub type Binary = Box<dyn Fn(&Tensor, &Tensor) -> Tensor>;
