//! A scratch program. Change it, and run it with `cargo run --example
//! scratch`.

use std::process::ExitCode;

use rungrad::part3_unified::{Device, Tensor};

// ANCHOR: scratch
fn main() -> ExitCode {
    rungrad::run(|| {
        // RUNGRAD_DEVICE=gpu cargo run --example scratch
        let device = Device::from_env()?;

        // w is a leaf that keeps its gradient, x is data.
        let w = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let w = Tensor::new(&[2, 3], &w, device)?.requires_grad();
        let x = Tensor::new(&[3, 1], &[1.0, 0.0, -1.0], device)?;
        println!("w {:?} on {}", w.shape(), w.device());
        println!("x {:?} on {}", x.shape(), x.device());

        // Any expression. Computing it records its graph.
        let y = w.matmul(&x);
        let loss = (&y * &y).mean();
        println!("y {}", y.array());
        println!("recorded: {}", loss.tape().ops().join(", "));

        loss.backward();
        println!("loss {}", loss.array());
        if let Some(grad) = w.grad() {
            println!("gradient of w {}", grad.array());
        }

        // Two views of the same six elements, and some random ones.
        println!("w transposed {}", w.transpose().array());
        println!("its last column {}", w.slice(&[0..2, 2..3]).array());
        println!("random {}", Tensor::rand(&[3], 1, device)?.array());
        Ok(())
    })
}
// ANCHOR_END: scratch
