//! Checks `train_digits`, a network that learns with the reader's rules.
//!
//! Each operation is first checked alone, because a network that does not
//! learn does not show which operation is wrong.

use std::process::ExitCode;
use std::ptr::fn_addr_eq;

use exercises::{Outcome, check, judge, numbers, tier, without, wrong};
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::gradcheck::dot;
use rungrad::metrics::{accuracy, predictions};
use rungrad::ops::Op;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::reference::{Array, forward};
use rungrad::rng::Random;

exercises::yours!("part1_cpu/train_digits.rs");

type Unary = fn(&Tensor) -> Tensor;
type Binary = fn(&Tensor, &Tensor) -> Tensor;

/// The operations of the network.
#[derive(Clone, Copy)]
pub struct Ops {
    /// (m, k) x (k, n) -> (m, n).
    pub matmul: Binary,
    /// A matrix and a row, which is broadcast.
    pub add: Binary,
    /// ReLU.
    pub relu: Unary,
    /// The logarithm of each row's softmax.
    pub log_softmax: Unary,
}

static OURS: Ops = Ops {
    matmul: Tensor::matmul,
    add: Tensor::add,
    relu: Tensor::relu,
    log_softmax: Tensor::log_softmax,
};

impl Ops {
    /// Returns the engine's own operations.
    pub fn reference() -> Ops {
        OURS
    }

    /// Returns the names of the operations that differ from the engine's, and
    /// of the others.
    fn owners(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let all = [
            ("matmul", fn_addr_eq(self.matmul, OURS.matmul)),
            ("add", fn_addr_eq(self.add, OURS.add)),
            ("relu", fn_addr_eq(self.relu, OURS.relu)),
            ("log_softmax", fn_addr_eq(self.log_softmax, OURS.log_softmax)),
        ];
        let of = |ours| {
            let its = all.iter().filter(|(_, is_ours)| *is_ours == ours);
            its.map(|(name, _)| *name).collect()
        };
        (of(false), of(true))
    }
}

fn main() -> ExitCode {
    check(
        "train_digits",
        YOURS,
        &[
            ("at least one operation is yours", owners),
            ("your operations are your own code", written),
            ("each operation has the right values and gradients", rules),
            (
                "the network reads nine of ten digits that it was not trained \
                 on",
                learns,
            ),
        ],
    )
}

fn owners(_: &()) -> Outcome {
    let (yours, ours) = yours::ops().owners();
    if yours.is_empty() {
        return Err(wrong(
            "All four operations are the engine's. Use at least one of your \
             own: `Ops { relu: my_relu, ..Ops::reference() }`.",
        ));
    }
    tier("operations", &yours, &ours);
    Ok(())
}

/// Rejects operations that only call the engine's.
fn written(_: &()) -> Outcome {
    without(
        YOURS,
        &[
            "Tensor::matmul(",
            "Tensor::add(",
            "Tensor::relu(",
            "Tensor::log_softmax(",
            "a + b",
            "a.add(b)",
            ".relu(",
            ".log_softmax(",
            ".matmul(",
        ],
        "that is the engine's own operation. Leave out the operations that you \
         do not write: `..Ops::reference()`.",
    )
}

/// Returns a matrix with values between -1 and 1, none of them 0.
fn matrix(seed: u64, rows: usize, columns: usize) -> Tensor {
    let values = numbers(seed, rows * columns);
    let values: Vec<f32> = values.iter().map(|x| x / 4.0).collect();
    Tensor::new(&[rows, columns], &values)
}

/// Includes square matrices, for which a transposed gradient has the right
/// shape.
fn rules(_: &()) -> Outcome {
    let ops = yours::ops();
    let (a, b) = (matrix(1, 3, 3), matrix(2, 3, 3));
    let row = Tensor::new(&[3], &numbers(3, 3));
    rule(Op::Matmul, &(ops.matmul)(&a, &b), &[&a, &b])?;
    rule(Op::Add, &(ops.add)(&a, &row), &[&a, &row])?;
    rule(Op::Relu, &(ops.relu)(&a), &[&a])?;
    rule(Op::LogSoftmax, &(ops.log_softmax)(&a), &[&a])
}

/// The loss is the sum of the result times weights that all differ.
fn rule(op: Op, out: &Tensor, operands: &[&Tensor]) -> Outcome {
    let flat = |t: &Tensor| Array::new(t.shape(), &t.to_vec());
    let inputs: Vec<Array> = operands.iter().map(|it| flat(it)).collect();
    let value = |inputs: &[Array]| {
        let inputs: Vec<&Array> = inputs.iter().collect();
        forward(&op, &inputs).expect("the reference knows it")
    };
    exercises::values(
        &format!("The value of {op}"),
        &flat(out),
        &value(&inputs),
    )?;
    let w = matrix(4, 3, 3);
    let mut tape = out.mul(&w).sum().backward_recorded();
    let names = ["a", "b"];
    for (operand, name) in operands.iter().zip(names) {
        tape.set_name(operand.id(), name);
    }
    let says = format!("sum({op}(..) * w)");
    judge(&says, &tape, &names[..operands.len()], |inputs| {
        dot(&value(inputs), &flat(&w))
    })
}

const EPOCHS: usize = 3;

/// Trains the network of the chapter, smaller and for fewer epochs to be fast.
fn learns(_: &()) -> Outcome {
    let ops = yours::ops();
    let (rows, held_out) = digits().split(SPLIT_SEED);
    let mut random = Random::new(0);
    let mut network = Mlp::new(&[64, 32, 10], Tensor::relu, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    for _ in 0..EPOCHS {
        for batch in rows.batches(32, &mut random) {
            loss(&ops, &network, &batch).backward();
            sgd.step(network.parameters());
        }
    }
    let predictions =
        predictions(&scores(&ops, &network, &held_out).to_vec(), 10);
    let right = 100.0 * accuracy(&held_out.labels, &predictions);
    println!("  {right:.1} % of {} digits are right", held_out.rows());
    match right >= 90.0 {
        true => Ok(()),
        false => Err(wrong(format!(
            "After {EPOCHS} epochs {right:.1} % of the digits are right, but \
             90 % should be. Does the gradient of each of your operations have \
             the right sign and size?"
        ))),
    }
}

/// (rows, 64) -> (rows, 10).
fn scores(ops: &Ops, network: &Mlp, rows: &Dataset) -> Tensor {
    let mut x = Tensor::new(&rows.shape(), &rows.inputs);
    for (at, layer) in network.layers.iter().enumerate() {
        if at > 0 {
            x = (ops.relu)(&x);
        }
        x = (ops.add)(&(ops.matmul)(&x, &layer.weight), &layer.bias);
    }
    x
}

/// Returns the mean over the rows of the negative log-probability of the
/// label.
fn loss(ops: &Ops, network: &Mlp, rows: &Dataset) -> Tensor {
    let mut at_label = vec![0.0; rows.rows() * 10];
    for (row, label) in rows.labels.iter().enumerate() {
        at_label[row * 10 + label] = -1.0 / rows.rows() as f32;
    }
    let at_label = Tensor::new(&[rows.rows(), 10], &at_label);
    (ops.log_softmax)(&scores(ops, network, rows)).mul(&at_label).sum()
}
