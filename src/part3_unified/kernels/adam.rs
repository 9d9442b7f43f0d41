//! The kernels of `kernels/part3/adam.cl`.

use crate::opencl::{self, Given, Kernel, Reached};

/// A step of Adam for 1, 2, 4, 8 and 16 parameters: arguments `keep, take,
/// keep_square, take_square, whole, epsilon, rate, stay`, then for each `x,
/// grad, mean, square, next, next_mean, next_square`, then the `n` of each.
///
/// OpenCL lets a kernel have 1024 bytes of arguments on any device. Sixteen
/// parameters of `f64` take just as many.
pub const ADAM: &[Kernel] = &[
    kernel!("part3/adam.cl", "adam_1", |given| parameters(given, 1)),
    kernel!("part3/adam.cl", "adam_2", |given| parameters(given, 2)),
    kernel!("part3/adam.cl", "adam_4", |given| parameters(given, 4)),
    kernel!("part3/adam.cl", "adam_8", |given| parameters(given, 8)),
    kernel!("part3/adam.cl", "adam_16", |given| parameters(given, 16)),
];

/// States the reach for so many parameters, whose items count in `uint`.
fn parameters(given: &Given, count: usize) -> Option<Reached> {
    let mut reached = Reached::new();
    for parameter in 0..count {
        reached.extend([given.uint(8 + 7 * count + parameter)?; 7]);
    }
    Some(reached)
}
