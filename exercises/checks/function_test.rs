//! Checks `function_test`, a test that must reject every wrong product.
//!
//! The roles are reversed: the learner writes the test, and our code may be
//! wrong.

use std::process::ExitCode;

use exercises::{Outcome, check_test, wrong};
use rungrad::part3_unified::{
    Array, Binary, Context, Function, Gradients, Op, Tensor, View, apply,
};
use rungrad::{Result, shape};

exercises::yours!("part3_unified/function_test.rs");

fn main() -> ExitCode {
    check_test(
        "function_test",
        YOURS,
        "product",
        accepted,
        &FAULTS,
        is_accepted,
    )
}

/// The bug in each product, by its number, counted from 1.
const FAULTS: [&str; 8] = [
    "each operand gets the gradient of the other",
    "it ignores grad_out",
    "it reads the first operand as if it were contiguous",
    "it ignores the offset of the second operand",
    "for a repeated row it uses the gradient of one copy",
    "it records only if the first operand needs a gradient",
    "x times x counts x once",
    "its gradient cannot be differentiated",
];

const RIGHT: usize = 0;
const SWAPPED: usize = 1;
const IGNORES: usize = 2;
const STRIDES: usize = 3;
const OFFSET: usize = 4;
const ONE_ROW: usize = 5;
const FIRST_DECIDES: usize = 6;
const COUNTS_ONCE: usize = 7;
const DETACHED: usize = 8;

/// Computes a product with this bug.
fn product(fault: usize, a: &Tensor, b: &Tensor) -> Tensor {
    let shape = shape::broadcast(a.shape(), b.shape());
    let shape = shape.expect("shapes that broadcast");
    let [a, b] = [a, b].map(|t| match fault {
        _ if t.shape() == shape => t.clone(),
        ONE_ROW => apply(OneRow { shape: shape.clone() }, &[t]),
        _ => t.expand(&shape),
    });
    let same = a.id().is_some() && a.id() == b.id();
    match fault {
        FIRST_DECIDES if a.id().is_none() => a.mul(&b).detach(),
        COUNTS_ONCE if same => apply(Planted { fault }, &[&a, &b.detach()]),
        _ => apply(Planted { fault }, &[&a, &b]),
    }
}

struct Planted {
    fault: usize,
}

impl Function for Planted {
    fn op(&self) -> Op {
        Op::named("mul")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        let (mut a, mut b) = (inputs[0].clone(), inputs[1].clone());
        // Stay within memory: a crash would not be a silent bug.
        if self.fault == STRIDES {
            let dense = View::dense(a.shape());
            a = a
                .as_strided(a.shape(), dense.strides(), a.offset())
                .unwrap_or(a);
        }
        if self.fault == OFFSET {
            b = b.as_strided(b.shape(), b.strides(), 0).unwrap_or(b);
        }
        a.binary(Binary::Mul, &b)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (mut a, mut b) = (ctx.input(0), ctx.input(1));
        if self.fault == SWAPPED {
            (a, b) = (b, a);
        }
        if self.fault == DETACHED {
            (a, b) = (a.detach(), b.detach());
        }
        let rule = |other: &Tensor| match self.fault {
            IGNORES => other.clone(),
            _ => grad_out.mul(other),
        };
        vec![ctx.needs(0).then(|| rule(&b)), ctx.needs(1).then(|| rule(&a))]
    }
}

/// Repeats a row, and does not sum its gradient in backward.
struct OneRow {
    shape: Vec<usize>,
}

impl Function for OneRow {
    fn op(&self) -> Op {
        Op::named("expand")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].expand(&self.shape)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let from = ctx.input(0).shape().to_vec();
        let size: usize = from.iter().product();
        let flat = grad_out.reshape(&[self.shape.iter().product()]);
        vec![Some(flat.slice(&[0..size]).reshape(&from))]
    }
}

/// Runs the learner's test on the product with this bug.
fn verdict(fault: usize) -> bool {
    yours::accepts(&|a, b| product(fault, a, b))
}

fn accepted() -> Outcome {
    match verdict(RIGHT) {
        true => Ok(()),
        false => Err(wrong(
            "Your test rejects a right product. Compute the expected values by \
             hand, or with `Tensor::mul`, which is right.",
        )),
    }
}

/// Returns whether the learner's test accepts the product with this bug.
fn is_accepted(fault: usize) -> bool {
    verdict(fault)
}
