//! The kernels of `kernels/engine/adam.cl`.

use crate::opencl::{self, Kernel, LaunchArgs, Reached};

/// One step of Adam for 1, 2, 4, 8, 16 and 32 parameters.
///
/// Every OpenCL device accepts 1024 bytes of arguments. 32 parameters of `f64`
/// take 1008.
pub const ADAM: &[Kernel] = &[
    kernel!("engine/adam.cl", "adam_1", |args| parameters(args, 1)),
    kernel!("engine/adam.cl", "adam_2", |args| parameters(args, 2)),
    kernel!("engine/adam.cl", "adam_4", |args| parameters(args, 4)),
    kernel!("engine/adam.cl", "adam_8", |args| parameters(args, 8)),
    kernel!("engine/adam.cl", "adam_16", |args| parameters(args, 16)),
    kernel!("engine/adam.cl", "adam_32", |args| parameters(args, 32)),
];

/// The reach for `count` parameters.
fn parameters(args: &LaunchArgs, count: usize) -> Option<Reached> {
    let sizes = args.uints("n0", 1)?.take(count);
    let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
    let all: u64 = sizes.iter().sum();
    let offsets = ["mean_at", "square_at", "next_at"];
    let [mean, square, next] = offsets.map(|name| args.uint(name));
    let next = next? + all;
    let mut reached = Reached::new();
    reached.extend([mean? + all, square? + all, next, next]);
    sizes.into_iter().for_each(|n| reached.extend([n; 3]));
    Some(reached)
}
