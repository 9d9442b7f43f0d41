//! The same step three times: one-time costs appear only in the first.

use std::process::ExitCode;

use rungrad::ledger;
use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: part3-warm
fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::Gpu(0);
        let x = Tensor::rand(&[32, 64], 1, device)?;
        let w = Tensor::rand(&[64, 10], 2, device)?.requires_grad();
        for step in 1..=3 {
            let ((), cost) = ledger::measure(|| {
                x.matmul(&w).relu().sum().backward();
                w.zero_grad();
            });
            println!(
                "step {step}: {} launches, {} kernels built, \
                 {} buffers allocated, {} storages",
                cost.launches, cost.builds, cost.allocations, cost.storages
            );
        }
        Ok(())
    })
}
// ANCHOR_END: part3-warm
