//! Computes the notebook's example with the kernels of Part 2.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let a = Tensor::new(&gpu, &[1], &[2.0])?.requires_grad();
        let b = Tensor::new(&gpu, &[1], &[3.0])?.requires_grad();
        let c = a.mul(&b);
        c.backward();
        println!("a: {a}\nb: {b}");

        let a = Tensor::new(&gpu, &[2], &[2.0, 3.0])?.requires_grad();
        let b = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
        let d = a.mul(&b).mul(&b);
        d.sum().backward();
        println!("a: {a}\nb: {b}");
        Ok(())
    })
}
