//! Two devices, two operations, recorded or not: eight cases through one
//! function.

use std::process::ExitCode;

use rungrad::ledger;
use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: part3-cube
type Operation = fn(&Tensor, &Tensor) -> Tensor;

fn main() -> ExitCode {
    rungrad::run(|| {
        let operations: [(&str, Operation); 2] =
            [("add", Tensor::add), ("mul", Tensor::mul)];
        println!(
            "device  operation  nodes  launches  result       gradient of a"
        );
        for device in [Device::Cpu, Device::Gpu(0)] {
            for (name, operation) in operations {
                for recorded in [false, true] {
                    let new = |values| Tensor::new(&[2], values, device);
                    let (mut a, b) = (new(&[2.0, 3.0])?, new(&[3.0, 4.0])?);
                    if recorded {
                        a = a.requires_grad();
                    }
                    let (c, cost) = ledger::measure(|| operation(&a, &b));
                    if recorded {
                        c.sum().backward();
                    }
                    let grad = match a.grad() {
                        Some(grad) => format!("{:?}", grad.to_vec()?),
                        None => "none".to_string(),
                    };
                    println!(
                        "{:<6}  {name:<9}  {:>5}  {:>8}  {:<11}  {grad}",
                        device.to_string(),
                        cost.nodes,
                        cost.launches,
                        format!("{:?}", c.to_vec()?),
                    );
                }
            }
        }
        Ok(())
    })
}
// ANCHOR_END: part3-cube
