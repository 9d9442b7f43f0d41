//! Checks `your_test`, a test that must reject every wrong engine.
//!
//! The roles are reversed: the learner writes the test, and our code may be
//! wrong.

use std::process::ExitCode;

use exercises::{Outcome, check_test, wrong};

exercises::yours!("part1_cpu/your_test.rs");

fn main() -> ExitCode {
    check_test("your_test", YOURS, "engine", accepted, &FAULTS, is_accepted)
}

/// An engine that has computed `(a * b) * b`.
pub trait Engine {
    /// Adds the gradient of the sum of `(a * b) * b * grad_out` to both
    /// leaves.
    fn backward(&mut self, grad_out: &[f32]);
    /// Returns the gradient accumulated in `a`.
    fn grad_a(&self) -> Vec<f32>;
    /// Returns the gradient accumulated in `b`.
    fn grad_b(&self) -> Vec<f32>;
}

/// The bug in each engine, by its number, counted from 1.
const FAULTS: [&str; 7] = [
    "it overwrites, so b gets only one of two gradients",
    "it gives each operand of a * b the gradient of the other",
    "it ignores grad_out",
    "it computes only one element",
    "after a second backward pass a has three times its gradient",
    "it uses the first element of grad_out for all",
    "it gives each element the gradient of another",
];

const RIGHT: usize = 0;
const OVERWRITES: usize = 1;
const SWAPS: usize = 2;
const IGNORES: usize = 3;
const ONE_ELEMENT: usize = 4;
const SURVIVES: usize = 5;
const FIRST_FOR_ALL: usize = 6;
const TURNS_AROUND: usize = 7;

struct Planted {
    fault: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    grad_a: Vec<f32>,
    grad_b: Vec<f32>,
    /// The gradient of `a * b`, which should not outlive a backward pass.
    grad_c: Vec<f32>,
}

impl Engine for Planted {
    fn backward(&mut self, grad_out: &[f32]) {
        let len = match self.fault {
            ONE_ELEMENT => self.a.len().min(1),
            _ => self.a.len(),
        };
        for i in 0..len {
            let (a, b) = (self.a[i], self.b[i]);
            let given = match self.fault {
                IGNORES => 1.0,
                FIRST_FOR_ALL => grad_out[0],
                _ => grad_out[i],
            };
            if self.fault != SURVIVES {
                self.grad_c[i] = 0.0;
            }
            self.grad_c[i] += given * b;
            let c = self.grad_c[i];
            let (to_a, to_b) = match self.fault {
                SWAPS => (c * a, c * b),
                _ => (c * b, c * a),
            };
            self.grad_a[i] += to_a;
            self.grad_b[i] += to_b;
            if self.fault != OVERWRITES {
                self.grad_b[i] += given * (a * b);
            }
        }
    }

    fn grad_a(&self) -> Vec<f32> {
        self.shown(&self.grad_a)
    }

    fn grad_b(&self) -> Vec<f32> {
        self.shown(&self.grad_b)
    }
}

impl Planted {
    fn shown(&self, grad: &[f32]) -> Vec<f32> {
        match self.fault {
            TURNS_AROUND => grad.iter().rev().copied().collect(),
            _ => grad.to_vec(),
        }
    }
}

/// Runs the learner's test on the engine with this bug.
fn verdict(fault: usize) -> bool {
    yours::accepts(&|a, b| {
        assert_eq!(
            a.len(),
            b.len(),
            "a and b need the same number of elements"
        );
        let zeros = || vec![0.0; a.len()];
        Box::new(Planted {
            fault,
            a: a.to_vec(),
            b: b.to_vec(),
            grad_a: zeros(),
            grad_b: zeros(),
            grad_c: zeros(),
        })
    })
}

fn accepted() -> Outcome {
    match verdict(RIGHT) {
        true => Ok(()),
        false => Err(wrong(
            "Your test rejects an engine that is right. For each element the \
             gradient of a is grad_out * b * b, and the gradient of b is \
             grad_out * 2 * a * b; a second backward pass adds the same again.",
        )),
    }
}

/// Returns whether the learner's test accepts the engine with this bug.
fn is_accepted(fault: usize) -> bool {
    verdict(fault)
}
