//! The kernels of `kernels/engine/adam.cl`.

use crate::opencl::{self, Given, Kernel, Reached};

/// One step of Adam for 1, 2, 4, 8, 16 and 32 parameters. The arguments are
/// `keep, take, keep_square, take_square, whole, epsilon, rate, stay`, then
/// `mean, mean_at, square, square_at, next_mean, next_square, next_at`, which
/// hold the values of all parameters one after another, then `x, grad, next`
/// of each parameter, then `n` of each parameter.
///
/// Every OpenCL device accepts 1024 bytes of arguments. 32 parameters of `f64`
/// take 1008.
pub const ADAM: &[Kernel] = &[
    kernel!("engine/adam.cl", "adam_1", |given| parameters(given, 1)),
    kernel!("engine/adam.cl", "adam_2", |given| parameters(given, 2)),
    kernel!("engine/adam.cl", "adam_4", |given| parameters(given, 4)),
    kernel!("engine/adam.cl", "adam_8", |given| parameters(given, 8)),
    kernel!("engine/adam.cl", "adam_16", |given| parameters(given, 16)),
    kernel!("engine/adam.cl", "adam_32", |given| parameters(given, 32)),
];

/// The reach for `count` parameters.
fn parameters(given: &Given, count: usize) -> Option<Reached> {
    let sizes = (0..count).map(|i| given.uint(15 + 3 * count + i));
    let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
    let all: u64 = sizes.iter().sum();
    let [mean, square, next] = [9, 11, 14].map(|at| given.uint(at));
    let next = next? + all;
    let mut reached = Reached::new();
    reached.extend([mean? + all, square? + all, next, next]);
    sizes.into_iter().for_each(|n| reached.extend([n; 3]));
    Some(reached)
}
