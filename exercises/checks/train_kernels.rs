//! Checks `train_kernels`, a network that learns with the reader's kernels.
//!
//! Each kernel is first checked alone, because a network that does not learn
//! does not show which kernel is wrong. Oclgrind is slow and runs only these
//! steps.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_kernel, judge, numbers, tier, wrong};
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::gradcheck::dot;
use rungrad::metrics::{accuracy, predictions};
use rungrad::ops::{Keep, Op};
use rungrad::part2_gpu::Tensor;
use rungrad::reference::{Array, forward};
use rungrad::rng::Random;

// The network and the update come from the example; the loop is here.
#[allow(dead_code)]
#[path = "../../examples/part2_digits/training.rs"]
mod training;

use training::{BATCH, Network};

const YOURS: &str = exercises::path!("part2_gpu/train_kernels.cl");

fn main() -> ExitCode {
    check_kernel(
        "train_kernels",
        YOURS,
        NAMES[0],
        &[
            ("at least one kernel is yours", owners),
            ("each kernel has the right values", values),
            ("the rules that use them are right", rules),
            (
                "the network reads nine of ten digits that it was not trained \
                 on",
                learns,
            ),
        ],
    )
}

const NAMES: [&str; 5] =
    ["matmul", "add_row", "relu", "relu_backward", "log_softmax"];

/// The reader's kernels; the engine's replaces a missing one.
struct Ops([Option<Kernel>; 5]);

impl Ops {
    fn of(file: &Kernel) -> Ops {
        Ops(NAMES.map(|name| file.sibling(name)))
    }

    /// Returns the names of the kernels that are the reader's, or of the
    /// others.
    fn owned(&self, yours: bool) -> Vec<&'static str> {
        let all = NAMES.into_iter().zip(&self.0);
        all.filter(|(_, it)| it.is_some() == yours).map(|(n, _)| n).collect()
    }
}

fn owners(file: &Kernel) -> Outcome {
    let ops = Ops::of(file);
    let (yours, ours) = (ops.owned(true), ops.owned(false));
    if yours.is_empty() {
        return Err(wrong(
            "None of the five kernels is yours. Write one of them, with the \
             name and the parameters given at the top of the file.",
        ));
    }
    tier("kernels", &yours, &ours);
    Ok(())
}

/// Odd sizes, so that the last group and the last tile are partly filled.
fn values(file: &Kernel) -> Outcome {
    let [matmul, add_row, relu, relu_backward, log_softmax] = Ops::of(file).0;
    let array = |seed, shape: [usize; 2]| {
        Array::new(&shape, &numbers(seed, shape[0] * shape[1]))
    };
    if let Some(kernel) = matmul {
        let (a, b) = (array(1, [37, 19]), array(2, [19, 21]));
        let yours = run::matmul(&kernel, &flat(&a), &flat(&b), [37, 19, 21]);
        expect("matmul", yours, Op::Matmul, &[&a, &b])?;
    }
    if let Some(kernel) = add_row {
        let (a, row) = (array(3, [21, 37]), Array::new(&[37], &numbers(4, 37)));
        let yours = run::add_row(&kernel, &flat(&a), &flat(&row));
        expect("add_row", yours, Op::Add, &[&a, &row])?;
    }
    if let Some(kernel) = relu {
        let a = array(5, [37, 21]);
        expect("relu", run::relu(&kernel, &flat(&a)), Op::Relu, &[&a])?;
    }
    if let Some(kernel) = relu_backward {
        let (g, mut x) = (numbers(6, 777), numbers(7, 777));
        x[5] = 0.0;
        let yours = run::relu_backward(&kernel, &g, &x);
        let through = |at: &usize| x[*at] <= 0.0 && yours[*at] != 0.0;
        if let Some(at) = (0..777).find(through) {
            return Err(wrong(format!(
                "At element {at}, where a is {}, relu_backward passes on {}. \
                 There relu is constant, so its gradient is 0.",
                x[at], yours[at]
            )));
        }
        let pairs = g.iter().zip(&x);
        let right = pairs.map(|(g, x)| if *x > 0.0 { *g } else { 0.0 });
        let right: Vec<f32> = right.collect();
        exercises::expect("grad_a of relu_backward", &yours, &right)?;
    }
    if let Some(kernel) = log_softmax {
        let a = array(8, [299, 10]);
        let yours = run::log_softmax(&kernel, &flat(&a), 299);
        expect("log_softmax", yours, Op::LogSoftmax, &[&a])?;
        let large = [1000.0, 999.0, -1000.0];
        let yours = run::log_softmax(&kernel, &large, 1);
        if yours.iter().all(|y| !y.is_finite()) {
            return Err(wrong(format!(
                "log_softmax of {large:?} is {yours:?}. The exponential of \
                 1000 overflows an f32: subtract the largest score of the row \
                 from each first."
            )));
        }
        let low = [-1000.0, -999.0, -1001.5];
        let yours = run::log_softmax(&kernel, &low, 1);
        if yours == [f32::INFINITY; 3] {
            return Err(wrong(format!(
                "log_softmax of {low:?} is {yours:?}: each exp is 0, and so is \
                 their sum. The largest of these scores is -999: begin the \
                 search with the first one, not with 0."
            )));
        }
        let row = |values| Array::new(&[1, 3], values);
        for values in [&large, &low] {
            let yours = run::log_softmax(&kernel, values, 1);
            expect("log_softmax", yours, Op::LogSoftmax, &[&row(values)])?;
        }
    }
    Ok(())
}

fn flat(a: &Array) -> Vec<f32> {
    a.values.iter().map(|x| *x as f32).collect()
}

fn expect(name: &str, yours: Vec<f32>, op: Op, of: &[&Array]) -> Outcome {
    let right = forward(&op, of).expect("the judge knows it");
    let yours = Array::new(&right.shape, &yours);
    exercises::values(&format!("The result of {name}"), &yours, &right)
}

/// Launches, with the parameters in the reader's order.
mod run {
    use super::*;

    /// (m, k) x (k, n): a grid of columns by rows, in groups of 16 x 16.
    pub(super) fn matmul(
        kernel: &Kernel,
        a: &[f32],
        b: &[f32],
        [m, k, n]: [usize; 3],
    ) -> Vec<f32> {
        let arguments = [
            In("a", a),
            In("b", b),
            Out("out", m * n),
            Count(m),
            Count(k),
            Count(n),
        ];
        kernel.run_grid_in_a_rule([n, m], &arguments).remove(0)
    }

    pub(super) fn add_row(kernel: &Kernel, a: &[f32], row: &[f32]) -> Vec<f32> {
        let n = a.len();
        let arguments = [
            In("a", a),
            In("row", row),
            Out("out", n),
            Count(row.len()),
            Count(n),
        ];
        kernel.run_in_a_rule(n, &arguments).remove(0)
    }

    pub(super) fn relu(kernel: &Kernel, a: &[f32]) -> Vec<f32> {
        let n = a.len();
        let arguments = [In("a", a), Out("out", n), Count(n)];
        kernel.run_in_a_rule(n, &arguments).remove(0)
    }

    pub(super) fn relu_backward(
        kernel: &Kernel,
        grad_out: &[f32],
        a: &[f32],
    ) -> Vec<f32> {
        let n = a.len();
        let arguments =
            [In("grad_out", grad_out), In("a", a), Out("grad_a", n), Count(n)];
        kernel.run_in_a_rule(n, &arguments).remove(0)
    }

    /// One item per row.
    pub(super) fn log_softmax(
        kernel: &Kernel,
        a: &[f32],
        rows: usize,
    ) -> Vec<f32> {
        let (n, columns) = (a.len(), a.len() / rows);
        let arguments =
            [In("a", a), Out("out", n), Count(rows), Count(columns)];
        kernel.run_in_a_rule(rows, &arguments).remove(0)
    }
}

fn host(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().expect("the device answers")
}

/// Returns a tensor on the device of `beside`.
fn tensor(beside: &Tensor, shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::new(beside.gpu(), shape, values).expect("the device answers")
}

/// Returns the gradient of the engine's own operation.
fn ours(op: fn(&Tensor) -> Tensor, x: &Tensor, grad_out: &Tensor) -> Tensor {
    let x = x.detach().requires_grad();
    op(&x).backward_with(grad_out);
    x.grad().expect("it asked for one")
}

/// The operations of the network, each with the reader's kernel or ours.
impl Ops {
    fn matmul(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let Some(kernel) = self.0[0].clone() else { return a.matmul(b) };
        let product = move |a: &Tensor, b: &Tensor| {
            let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
            let out = run::matmul(&kernel, &host(a), &host(b), [m, k, n]);
            tensor(a, &[m, n], &out)
        };
        let out = product(a, b);
        let needs = [a.records(), b.records()];
        let (a_, b_) = (a.detach(), b.detach());
        Tensor::from_op("matmul", &[a, b], out, move |grad_out| {
            let grad_a = || product(grad_out, &b_.transpose());
            let grad_b = || product(&a_.transpose(), grad_out);
            vec![needs[0].then(grad_a), needs[1].then(grad_b)]
        })
    }

    fn add_row(&self, a: &Tensor, row: &Tensor) -> Tensor {
        let Some(kernel) = &self.0[1] else { return a.add(row) };
        let out = run::add_row(kernel, &host(a), &host(row));
        let out = tensor(a, a.shape(), &out);
        Tensor::from_op("add", &[a, row], out, |grad_out| {
            let columns = grad_out.sum_over(&[0], Keep::No);
            vec![Some(grad_out.clone()), Some(columns)]
        })
    }

    fn relu(&self, a: &Tensor) -> Tensor {
        let out = match &self.0[2] {
            Some(kernel) => tensor(a, a.shape(), &run::relu(kernel, &host(a))),
            None => a.detach().relu(),
        };
        let (x, backward) = (a.detach(), self.0[3].clone());
        Tensor::from_op("relu", &[a], out, move |grad_out| {
            let Some(kernel) = &backward else {
                return vec![Some(ours(Tensor::relu, &x, grad_out))];
            };
            let grad = run::relu_backward(kernel, &host(grad_out), &host(&x));
            vec![Some(tensor(&x, x.shape(), &grad))]
        })
    }

    fn log_softmax(&self, a: &Tensor) -> Tensor {
        let Some(kernel) = &self.0[4] else { return a.log_softmax() };
        let out = run::log_softmax(kernel, &host(a), a.shape()[0]);
        let (x, out) = (a.detach(), tensor(a, a.shape(), &out));
        Tensor::from_op("log_softmax", &[a], out, move |grad_out| {
            vec![Some(ours(Tensor::log_softmax, &x, grad_out))]
        })
    }
}

/// Includes square matrices, for which a transposed result has the right
/// shape.
fn rules(file: &Kernel) -> Outcome {
    let ops = Ops::of(file);
    let leaf = |seed, shape: &[usize]| -> Result<Tensor, exercises::Stop> {
        let values = numbers(seed, shape.iter().product());
        let values: Vec<f32> = values.iter().map(|x| x / 4.0).collect();
        Ok(Tensor::new(file.gpu(), shape, &values)?.requires_grad())
    };
    let (a, b, row) = (leaf(1, &[3, 3])?, leaf(2, &[3, 3])?, leaf(3, &[3])?);
    let w = leaf(4, &[3, 3])?;
    rule(Op::Matmul, &ops.matmul(&a, &b), &[&a, &b], &w)?;
    rule(Op::Add, &ops.add_row(&a, &row), &[&a, &row], &w)?;
    rule(Op::Relu, &ops.relu(&a), &[&a], &w)?;
    rule(Op::LogSoftmax, &ops.log_softmax(&a), &[&a], &w)
}

/// The loss is the sum of the result times weights that all differ.
fn rule(op: Op, out: &Tensor, operands: &[&Tensor], w: &Tensor) -> Outcome {
    let mut tape = out.mul(&w.detach()).sum().backward_recorded();
    let names = &["a", "b"][..operands.len()];
    for (operand, name) in operands.iter().zip(names) {
        tape.set_name(operand.id(), name);
    }
    let w = Array::new(w.shape(), &w.to_vec()?);
    let outcome = judge(&format!("sum({op}(..) * w)"), &tape, names, |of| {
        let of: Vec<&Array> = of.iter().collect();
        dot(&forward(&op, &of).expect("the judge knows it"), &w)
    });
    operands.iter().for_each(|operand| operand.zero_grad());
    outcome
}

const EPOCHS: usize = 2;

/// Trains the network of the chapter, for fewer epochs to be fast.
fn learns(file: &Kernel) -> Outcome {
    if file.is_simulated() {
        return Ok(());
    }
    let ops = Ops::of(file);
    let (rows, held_out) = digits().split(SPLIT_SEED);
    let mut random = Random::new(0);
    let mut network = Network::new(file.gpu(), &mut random)?;
    for _ in 0..EPOCHS {
        for batch in rows.batches(BATCH, &mut random) {
            let scores = scores(&ops, &network, &batch)?;
            loss(&ops, &scores, &batch)?.backward();
            network.step();
        }
    }
    let scores = scores(&ops, &network, &held_out)?;
    let predictions = predictions(&scores.to_vec()?, 10);
    let right = 100.0 * accuracy(&held_out.labels, &predictions);
    println!("  {right:.1} % of {} digits are right", held_out.rows());
    match right >= 90.0 {
        true => Ok(()),
        false => Err(wrong(format!(
            "After {EPOCHS} epochs {right:.1} % of the digits are right, but \
             90 % should be."
        ))),
    }
}

/// (rows, 64) -> (rows, 10).
fn scores(
    ops: &Ops,
    network: &Network,
    rows: &Dataset,
) -> Result<Tensor, exercises::Stop> {
    let [weight1, bias1, weight2, bias2] = &network.parameters;
    let x = Tensor::new(weight1.gpu(), &rows.shape(), &rows.inputs)?;
    let hidden = ops.relu(&ops.add_row(&ops.matmul(&x, weight1), bias1));
    Ok(ops.add_row(&ops.matmul(&hidden, weight2), bias2))
}

/// Returns the mean over the rows of the negative log-probability of the
/// label.
fn loss(
    ops: &Ops,
    scores: &Tensor,
    rows: &Dataset,
) -> Result<Tensor, exercises::Stop> {
    let mut at_label = vec![0.0; rows.rows() * 10];
    for (row, label) in rows.labels.iter().enumerate() {
        at_label[row * 10 + label] = -1.0 / rows.rows() as f32;
    }
    let at_label = Tensor::new(scores.gpu(), &[rows.rows(), 10], &at_label)?;
    Ok(ops.log_softmax(scores).mul(&at_label).sum())
}
