//! Checks `seed_and_zero`, gradients without leftovers of earlier passes.
//!
//! The seed's elements are all different: with ones, the gradient of the sum
//! would pass.

use std::process::ExitCode;

use exercises::{Outcome, check, numbers, values, wrong};
use ndarray::{ArrayD, IxDyn};
use rungrad::part1_cpu::Tensor;
use rungrad::reference::Array;

exercises::yours!("part1_cpu/seed_and_zero.rs");

fn main() -> ExitCode {
    check(
        "seed_and_zero",
        YOURS,
        &[
            ("each element of the output is weighted by the seed", seed),
            ("a second call gives the same", again),
            ("the result ignores earlier backward passes", stale),
            ("a leaf that is not used gets zeros", unused),
        ],
    )
}

/// `(a * b) * b` and its operands.
struct Expression {
    a: Tensor,
    b: Tensor,
    output: Tensor,
    seed: ArrayD<f32>,
}

fn expression(start: u64) -> Expression {
    let a = Tensor::new(&[3], &numbers(start, 3));
    let b = Tensor::new(&[3], &numbers(start + 1, 3));
    let output = a.mul(&b).mul(&b);
    let seed = numbers(start + 2, 3);
    let seed = ArrayD::from_shape_vec(IxDyn(&[3]), seed);
    Expression { a, b, output, seed: seed.expect("one value each") }
}

impl Expression {
    /// `seed * b * b` and `2 * seed * a * b`, for any seed.
    fn right(&self, seed: impl Fn(usize) -> f32) -> [Array; 2] {
        let (a, b) = (self.a.to_vec(), self.b.to_vec());
        let of = |f: &dyn Fn(usize) -> f32| {
            Array::new(&[3], &(0..3).map(f).collect::<Vec<f32>>())
        };
        [of(&|i| seed(i) * b[i] * b[i]), of(&|i| 2.0 * seed(i) * a[i] * b[i])]
    }

    /// Checks the learner's gradients of both leaves.
    fn judged(&self, when: &str) -> Outcome {
        let leaves = [&self.a, &self.b];
        let found = yours::gradients(&self.output, &self.seed, &leaves);
        if found.len() != 2 {
            return Err(wrong(format!(
                "There are 2 leaves, but the number of gradients that you \
                 return is {}.",
                found.len()
            )));
        }
        let right = self.right(|i| self.seed[[i]]);
        let ones = self.right(|_| 1.0);
        for (k, name) in ["a", "b"].iter().enumerate() {
            let flat: Vec<f32> = found[k].iter().copied().collect();
            let yours = Array::new(found[k].shape(), &flat);
            if yours == ones[k] {
                return Err(wrong(format!(
                    "The gradient of {name} is the one for a seed of ones, \
                     which is the gradient of the sum. Each element of the \
                     output must be weighted by the seed."
                )));
            }
            let what = format!("The gradient of {name}{when}");
            values(&what, &yours, &right[k])?;
        }
        Ok(())
    }
}

fn seed(_: &()) -> Outcome {
    expression(1).judged("")
}

fn again(_: &()) -> Outcome {
    let it = expression(4);
    it.judged(" in the first call")?;
    it.judged(" in the second call")
}

/// An earlier backward pass has used the same leaves.
fn stale(_: &()) -> Outcome {
    let it = expression(7);
    it.b.mul(&it.b).sum().backward();
    it.judged(" after another backward pass")
}

fn unused(_: &()) -> Outcome {
    let Expression { a, output, seed, .. } = expression(10);
    let other = Tensor::new(&[2], &numbers(13, 2));
    let found = yours::gradients(&output, &seed, &[&a, &other]);
    match found.get(1) {
        Some(grad) if *grad == ArrayD::<f32>::zeros(IxDyn(&[2])) => Ok(()),
        found => Err(wrong(format!(
            "The output does not use the second leaf, of shape [2]. Its \
             gradient should be zeros of that shape, but it is {found:?}."
        ))),
    }
}
