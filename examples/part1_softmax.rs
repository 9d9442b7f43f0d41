//! Softmax by its definition, and in the form that does not overflow.

use std::process::ExitCode;

use rungrad::ops::Keep;
use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-softmax
/// e^x divided by the sum of all e^x of its row.
fn plain(x: &Tensor) -> Tensor {
    let e = x.exp();
    &e / e.sum_over(&[1], Keep::Yes)
}

fn main() -> ExitCode {
    rungrad::run(|| {
        for scores in [[1.0, 2.0, 3.0], [101.0, 102.0, 103.0]] {
            let x = Tensor::new(&[1, 3], &scores);
            println!("scores {}", x.data());
            println!("  as defined        {:.4}", plain(&x).data());
            println!("  softmax           {:.4}", x.softmax().data());
        }
        let x = Tensor::new(&[1, 3], &[0.0, 10.0, 200.0]);
        println!("scores {}", x.data());
        println!("  log of softmax    {:.4}", x.softmax().log().data());
        println!("  log_softmax       {:.4}", x.log_softmax().data());
        Ok(())
    })
}
// ANCHOR_END: part1-softmax
