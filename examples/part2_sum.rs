//! Sums more elements than a work-group has items: one partial sum per group,
//! pass after pass, until one value is left.

use std::process::ExitCode;

use rungrad::opencl::{Gpu, record};
use rungrad::part2_gpu::Tensor;
use rungrad::part2_gpu::kernels;
use rungrad::shape::list;

// ANCHOR: part2-sum
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;

        let numbers: Vec<f32> = (1..=1000).map(|i| i as f32).collect();
        let (a, partials) = (gpu.upload(&numbers)?, gpu.allocate(4)?);
        gpu.launch(&kernels::REDUCE_SUM)
            .input(&a)
            .output(&partials)
            .scalar(1000_u32)
            .global(1000)
            .local(256)
            .run()?;
        println!("1 to 1000: {}", list(&partials.read()?));

        for n in [256, 1000, 65_536, 1_000_000] {
            let ones = Tensor::new(&gpu, &[n], &vec![1.0; n])?;
            let (sum, timeline) = record(|| ones.sum())?;
            println!("\n{n} ones: {}", sum.to_vec()?[0]);
            for launch in timeline.launches() {
                println!("    {} {}", launch.name, launch.amount);
            }
        }
        Ok(())
    })
}
// ANCHOR_END: part2-sum
