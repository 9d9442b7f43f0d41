//! Prints the shapes that pairs of shapes broadcast to, and the axes over which
//! each gradient is summed. The shapes are arguments, for example `-- 4 4,1`;
//! the default is 2,1 and 1,3.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::shape::{broadcast_axes, checked_size, size};

fn main() -> ExitCode {
    rungrad::run(|| {
        let mut words = rungrad::args();
        if words.is_empty() {
            words = vec!["2,1".to_string(), "1,3".to_string()];
        }
        for (i, pair) in words.chunks(2).enumerate() {
            let [a, b] = pair else {
                return Err(Error::Usage(
                    "give pairs of shapes, such as 2,1 1,3, or none; \"\" is \
                     the shape without axes"
                        .to_string(),
                ));
            };
            if i > 0 {
                println!();
            }
            show(&zeros(a)?, &zeros(b)?);
        }
        Ok(())
    })
}

/// Prints both shapes and that of their product, aligned at the right.
fn show(a: &Tensor, b: &Tensor) {
    let c = a * b;
    for (name, shape) in [("a", a), ("b", b), ("a * b", &c)] {
        let sizes: String =
            shape.shape().iter().map(|size| format!("{size:>4}")).collect();
        println!("{name:<5}{sizes:>width$}", width = 4 * c.shape().len());
    }
    for (name, operand) in [("a", a), ("b", b)] {
        let axes = broadcast_axes(operand.shape(), c.shape());
        println!("grad_{name} is summed over the axes {axes:?}");
    }
}

/// Parses a shape and returns zeros of it; the values do not matter.
fn zeros(word: &str) -> Result<Tensor, Error> {
    let sizes = word.split(',').filter(|size| !size.is_empty());
    let shape: Option<Vec<usize>> =
        sizes.map(|size| size.trim().parse().ok()).collect();
    let is_small =
        |shape: &Vec<usize>| checked_size(shape).is_ok_and(|n| n <= 1000);
    match shape.filter(is_small) {
        Some(shape) => Ok(Tensor::new(&shape, &vec![0.0; size(&shape)])),
        None => Err(Error::Usage(format!(
            "`{word}` is not a shape of up to 1000 elements; write whole \
             numbers with commas between them, such as 2,3"
        ))),
    }
}
