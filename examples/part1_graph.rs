//! The notebook's two graphs in the finished Part 1, as a list and as a tape.

use std::process::ExitCode;

use rungrad::draw;
use rungrad::part1_cpu::Tensor;

// ANCHOR: part1-graph
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn main() -> ExitCode {
    rungrad::run(|| {
        let a = Tensor::new(&[1], &[2.0]);
        let b = Tensor::new(&[1], &[3.0]);
        let c = a.mul(&b);
        for tensor in c.graph() {
            println!("{tensor}");
        }

        let d = c.mul(&b);
        let e = d.mul(&c);
        let mut tape = e.tape();
        for (tensor, name) in [&a, &b, &c, &d, &e].into_iter().zip(NAMES) {
            tape.set_name(tensor.id(), name);
        }
        print!("{}", draw::text(&tape, None));

        let square = c.mul(&c);
        println!("c * c has {} parents", square.parents().len());
        Ok(())
    })
}
// ANCHOR_END: part1-graph
