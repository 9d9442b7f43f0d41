//! Adds 0.1 ten million times in three orders and compares with `f64`.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::{part1_cpu, part2_gpu};

const N: usize = 10_000_000;

// ANCHOR: part2-sum-error
fn main() -> ExitCode {
    rungrad::run(|| {
        let values = vec![0.1_f32; N];
        let exact: f64 = values.iter().map(|x| f64::from(*x)).sum();
        println!("in f64             {exact:>12.3}");

        let show = |order: &str, sum: f32| {
            let error = (f64::from(sum) / exact - 1.0).abs();
            println!("{order:<18} {sum:>12.3}, wrong by {error:.0e}");
        };
        show("one after another", values.iter().fold(0.0, |sum, x| sum + x));
        let array = part1_cpu::Tensor::new(&[N], &values);
        show("Part 1, by chunks", array.sum().to_vec()[0]);

        let gpu = Gpu::first()?;
        let tensor = part2_gpu::Tensor::new(&gpu, &[N], &values)?;
        let sum = || tensor.sum().to_vec();
        let first = sum()?[0];
        show("Part 2, as a tree", first);

        let again = [sum()?[0], sum()?[0], sum()?[0]];
        let same = again.iter().all(|it| it.to_bits() == first.to_bits());
        println!("four trees have the same bits: {same}");
        Ok(())
    })
}
// ANCHOR_END: part2-sum-error
