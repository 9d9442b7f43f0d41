//! Sums over each of the two axes of a matrix, their gradients, and how the
//! work is divided among work-items.

use std::process::ExitCode;

use rungrad::opencl::{Gpu, record};
use rungrad::ops::Keep;
use rungrad::part2_gpu::Tensor;
use rungrad::shape::list;

// ANCHOR: part2-axes
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        for (axis, seed) in [(0, &[1., 2., 3.][..]), (1, &[1., 2.])] {
            let a = Tensor::new(&gpu, &[2, 3], &[1., 2., 3., 4., 5., 6.])?;
            let a = a.requires_grad();
            let sums = a.sum_over(&[axis], Keep::No);
            let grad_out = Tensor::new(&gpu, sums.shape(), seed)?;
            sums.backward_with(&grad_out);
            let grad = a.grad().expect("it was required").to_vec()?;
            println!("along axis {axis}: {}", list(&sums.to_vec()?));
            println!("    grad_out {} becomes {}", list(seed), list(&grad));
        }

        let large = Tensor::new(&gpu, &[1000, 300], &vec![1.0; 300_000])?;
        for axis in [0, 1] {
            let (_, timeline) = record(|| large.sum_over(&[axis], Keep::No))?;
            for launch in timeline.launches() {
                let (name, groups) = (&launch.name, &launch.amount);
                println!("(1000, 300) along axis {axis}: {name} {groups}");
            }
        }
        Ok(())
    })
}
// ANCHOR_END: part2-axes
