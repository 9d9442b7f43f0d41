//! The rounding error of ever longer sums of 0.1 * 0.1, compared with `f64`:
//! one rung of the ladder and the engines.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::matmul::MATMUL_LADDER;
use rungrad::{part1_cpu, part2_gpu};

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        println!("products  error of a rung  Part 1  Part 2");
        for k in [1 << 8, 1 << 12, 1 << 16, 1 << 20] {
            let values = vec![0.1_f32; k];
            let exact: f64 = values.iter().map(|x| f64::from(*x).powi(2)).sum();
            let error = |sum: &[f32]| (f64::from(sum[0]) / exact - 1.0).abs();

            let (a, out) = (gpu.upload(&values)?, gpu.allocate(1)?);
            MATMUL_LADDER[1].launch(&a, &a, &out, [1, k, 1]).run()?;
            let rung = error(&out.read()?);

            let row = part1_cpu::Tensor::new(&[1, k], &values);
            let column = part1_cpu::Tensor::new(&[k, 1], &values);
            let part1 = error(&row.matmul(&column).to_vec());

            let row = part2_gpu::Tensor::new(&gpu, &[1, k], &values)?;
            let column = part2_gpu::Tensor::new(&gpu, &[k, 1], &values)?;
            let part2 = error(&row.matmul(&column).to_vec()?);
            println!("{k:>8}  {rung:>15.0e}  {part1:>6.0e}  {part2:>6.0e}");
        }
        Ok(())
    })
}
