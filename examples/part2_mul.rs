//! One multiplication on an OpenCL device, 2 * 3 = 6, and where it ran.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::shape::list;

// ANCHOR: part2-mul
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let a = Tensor::new(&gpu, &[1], &[2.0])?;
        let b = Tensor::new(&gpu, &[1], &[3.0])?;
        let c = a.mul(&b);
        println!("{} on {}", list(&c.to_vec()?), gpu.name());
        Ok(())
    })
}
// ANCHOR_END: part2-mul
