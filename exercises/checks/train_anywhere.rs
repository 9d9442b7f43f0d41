//! Checks `train_anywhere`, one network on two devices with the reader's
//! operations.
//!
//! Each operation is first checked alone, on the processor and then on the
//! device, because a network that does not learn does not show which operation
//! is wrong.

use std::process::ExitCode;
use std::ptr::fn_addr_eq;

use exercises::{
    Outcome, Stop, check_on_device, judge, numbers, tier, without, wrong,
};
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::gradcheck::dot;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Linear, Module, Parameters};
use rungrad::opencl::Gpu;
use rungrad::ops::Op;
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, no_grad, trace};
use rungrad::reference::{Array, forward};
use rungrad::rng::Random;

exercises::yours!("part3_unified/train_anywhere.rs");

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
    check_on_device(
        "train_anywhere",
        YOURS,
        &[
            ("at least one operation is yours", owners),
            ("your operations are your own code", written),
            (
                "on the processor each has the right values and gradients",
                |_| rules(Device::Cpu),
            ),
            ("on the device too", |gpu| rules(of(gpu))),
            ("both learn the digits, with the same losses", learns),
        ],
    )
}

fn of(gpu: &Gpu) -> Device {
    Device::Gpu(gpu.info().index)
}

fn owners(_: &Gpu) -> Outcome {
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
fn written(_: &Gpu) -> Outcome {
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
            "a.matmul(b)",
        ],
        "that is the engine's own operation. Leave out the operations that you \
         do not write: `..Ops::reference()`.",
    )
}

/// Returns a leaf with values between -1 and 1, none of them 0.
fn leaf(seed: u64, shape: &[usize], device: Device) -> Result<Tensor, Stop> {
    let values = numbers(seed, shape.iter().product());
    let values: Vec<f32> = values.iter().map(|x| x / 4.0).collect();
    Ok(Tensor::new(shape, &values, device)?.requires_grad())
}

/// Includes square matrices, for which a transposed gradient has the right
/// shape.
fn rules(device: Device) -> Outcome {
    let ops = yours::ops();
    let (a, b) = (leaf(1, &[3, 3], device)?, leaf(2, &[3, 3], device)?);
    let row = leaf(3, &[3], device)?;
    rule(Op::Matmul, || (ops.matmul)(&a, &b), &[&a, &b])?;
    rule(Op::Add, || (ops.add)(&a, &row), &[&a, &row])?;
    rule(Op::Relu, || (ops.relu)(&a), &[&a])?;
    rule(Op::LogSoftmax, || (ops.log_softmax)(&a), &[&a])
}

/// The loss is the sum of the result times weights that all differ.
fn rule(op: Op, yours: impl Fn() -> Tensor, operands: &[&Tensor]) -> Outcome {
    let device = operands[0].device();
    let flat = |t: &Tensor| Ok::<_, Stop>(Array::new(t.shape(), &t.to_vec()?));
    let value = |inputs: &[Array]| {
        let inputs: Vec<&Array> = inputs.iter().collect();
        forward(&op, &inputs).expect("the reference knows it")
    };
    let inputs = operands.iter().map(|it| flat(it));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let out = trace(&yours);
    if out.device() != device {
        let there = out.device();
        return Err(wrong(format!(
            "The operands of {op} are on {device}, but its result is on \
             {there}. It must stay on their device."
        )));
    }
    exercises::values(
        &format!("The value of {op}"),
        &flat(&out)?,
        &value(&inputs),
    )?;
    if out.id().is_none() {
        return Err(wrong(format!(
            "The result of {op} has the right values but no graph. A \
             differentiable operation must use `apply`, or consist of \
             operations that do."
        )));
    }
    let w = leaf(4, &[3, 3], device)?.detach();
    let weights = flat(&w)?;
    let mut tape = trace(|| yours().mul(&w).sum()).backward_recorded();
    let names = ["a", "b"];
    for (operand, name) in operands.iter().zip(names) {
        tape.set_name(operand.id().expect("it is a leaf"), name);
    }
    let says = format!("sum({op}(..) * w)");
    judge(&says, &tape, &names[..operands.len()], |inputs| {
        dot(&value(inputs), &weights)
    })
}

const EPOCHS: usize = 2;

fn learns(gpu: &Gpu) -> Outcome {
    let data = digits().split(SPLIT_SEED);
    let there = of(gpu);
    let (losses, right) = trained(&data, Device::Cpu)?;
    let (others, also_right) = trained(&data, there)?;
    for (device, right) in [(Device::Cpu, right), (there, also_right)] {
        let words = format!("on {device} {right:.1} % of the digits are right");
        println!("  {words}");
        if right < 85.0 {
            return Err(wrong(format!(
                "After {EPOCHS} epochs {words}, but 85 % should be."
            )));
        }
    }
    let mut pairs = losses.iter().zip(&others);
    match pairs.position(|(a, b)| (a - b).abs() > 1e-3) {
        None => Ok(()),
        Some(step) => Err(wrong(format!(
            "In step {step} the loss is {} on the processor and {} on \
             {there}. They should agree to 0.001.",
            losses[step], others[step]
        ))),
    }
}

/// Trains the network of the chapter, smaller and for fewer epochs to be fast.
/// Returns the losses of its steps and its accuracy on the test set, in
/// percent.
fn trained(
    (rows, held_out): &(Dataset, Dataset),
    device: Device,
) -> Result<(Vec<f32>, f32), Stop> {
    let mut random = Random::new(0);
    let mut network = Network {
        ops: yours::ops(),
        layers: [
            Linear::new(64, 32, &mut random),
            Linear::new(32, 10, &mut random),
        ],
    };
    network.to(device)?;
    let mut sgd = Sgd::new(0.1, 0.9);
    let mut losses = Vec::new();
    for _ in 0..EPOCHS {
        for batch in rows.batches(32, &mut random) {
            let loss = network.loss(&batch, device)?;
            loss.backward();
            sgd.step(network.parameters_mut());
            losses.push(loss.to_vec()?[0]);
        }
    }
    let x = Tensor::new(&held_out.shape(), &held_out.inputs, device)?;
    let scores = no_grad(|| network.forward(&x)).to_vec()?;
    let right = accuracy(&held_out.labels, &predictions(&scores, 10));
    Ok((losses, 100.0 * right))
}

/// The network, computed with the reader's operations.
struct Network {
    ops: Ops,
    layers: [Linear; 2],
}

impl Module for Network {
    fn forward(&self, x: &Tensor) -> Tensor {
        let Ops { matmul, add, relu, .. } = self.ops;
        let [first, second] = &self.layers;
        let hidden = relu(&add(&matmul(x, &first.weight), &first.bias));
        add(&matmul(&hidden, &second.weight), &second.bias)
    }
}

impl Parameters for Network {
    rungrad::parameters!(layers);
}

impl Network {
    /// Returns the mean over the rows of the negative log-probability of the
    /// label.
    fn loss(&self, rows: &Dataset, device: Device) -> Result<Tensor, Stop> {
        let x = Tensor::new(&rows.shape(), &rows.inputs, device)?;
        let shares = (self.ops.log_softmax)(&self.forward(&x));
        Ok(shares.pick(&rows.labels).mean().neg())
    }
}
