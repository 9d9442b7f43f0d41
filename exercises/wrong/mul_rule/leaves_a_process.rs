// Starts a process that outlives the check, and is wrong.

use std::process::Command;

use rungrad::part1_cpu::Tensor;

/// Multiplies two equal shapes element by element.
pub fn mul(a: &Tensor, _: &Tensor) -> Tensor {
    let _ = Command::new("sleep").arg("600").spawn();
    a.clone()
}
