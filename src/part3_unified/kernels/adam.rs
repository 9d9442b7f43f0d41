//! The kernel of `kernels/part3/adam.cl`.

use smallvec::smallvec;

use crate::opencl::{self, Kernel};

/// A step of Adam: arguments `x, x_offset, grad, grad_offset, mean,
/// mean_offset, square, square_offset, keep, take, keep_square, take_square,
/// whole, epsilon, rate, stay, next, next_mean, next_square, n`.
pub const ADAM_STEP: Kernel = kernel!("part3/adam.cl", "adam_step", |given| {
    let n = given.uint(19)?;
    let from = |place| Some(given.uint(place)? + n);
    Some(smallvec![from(1)?, from(3)?, from(5)?, from(7)?, n, n, n])
});
