//! From scores to a loss, and every gradient of the backward pass.

use std::process::ExitCode;

use rungrad::part1_cpu::Tensor;
use rungrad::tape::Record;

// ANCHOR: part1-loss
fn main() -> ExitCode {
    rungrad::run(|| {
        // Two rows of scores for three classes; the correct classes are 2 and
        // 0.
        let scores = Tensor::new(&[2, 3], &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        let loss = scores.cross_entropy(&[2, 0]);
        println!("probabilities: {:.3}", scores.softmax().data());
        println!("loss: {:.3}", loss.data());
        for record in loss.backward_recorded().records.iter().rev() {
            println!("{:>11}  {}", record.op.name(), grad(record));
        }
        Ok(())
    })
}
// ANCHOR_END: part1-loss

/// Formats the first gradients; three digits are enough to see the pattern.
fn grad(record: &Record) -> String {
    let grad = record.grad.as_ref().expect("backward was recorded");
    let words: Vec<String> = grad.iter().map(|g| format!("{g:6.3}")).collect();
    format!("{:?} {}", record.shape, words.join(" "))
}
