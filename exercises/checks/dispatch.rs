//! Checks `dispatch`, which decides three questions in one place.
//!
//! The devices are defined here and log their calls.

use std::cell::RefCell;
use std::process::ExitCode;

use exercises::{Outcome, Stop, check, numbers, wrong};
use yours::{Device, Made, Op, Tensor, dispatch};

exercises::yours!("part3_unified/dispatch.rs");

fn main() -> ExitCode {
    check(
        "dispatch",
        YOURS,
        &[
            ("a sum and a product, on either of two devices", computes),
            ("operands on two devices are rejected", refuses),
            ("what is recorded: neither, either or both", records),
            ("what is saved for backward", keeps),
        ],
    )
}

/// A device that logs each call.
struct Logged {
    name: &'static str,
    calls: RefCell<Vec<Call>>,
}

/// The operation of a call, and its operands.
type Call = (Op, Vec<f32>, Vec<f32>);

impl Logged {
    fn new(name: &'static str) -> Logged {
        Logged { name, calls: RefCell::default() }
    }

    fn tensor(&self, numbers: &[f32], requires_grad: bool) -> Tensor<'_> {
        Tensor {
            device: self,
            numbers: numbers.into(),
            requires_grad,
            made: None,
        }
    }
}

impl Device for Logged {
    fn name(&self) -> &str {
        self.name
    }

    fn binary(&self, op: Op, a: &[f32], b: &[f32]) -> Vec<f32> {
        self.calls.borrow_mut().push((op, a.to_vec(), b.to_vec()));
        result(op, a, b)
    }
}

fn result(op: Op, a: &[f32], b: &[f32]) -> Vec<f32> {
    let pairs = a.iter().zip(b);
    pairs.map(|(x, y)| if op == Op::Add { x + y } else { x * y }).collect()
}

fn computes(_: &()) -> Outcome {
    let devices = [Logged::new("cpu"), Logged::new("gpu:0")];
    let (x, y) = (numbers(1, 5), numbers(2, 5));
    for op in [Op::Mul, Op::Add] {
        for (at, device) in devices.iter().enumerate() {
            let given = (device.tensor(&x, false), device.tensor(&y, false));
            let c = dispatch(op, &given.0, &given.1).map_err(wrong)?;
            let other = &devices[1 - at];
            let name = device.name;
            if !other.calls.borrow().is_empty() {
                return Err(wrong(format!(
                    "Both operands are on {name}, but {} computed the result. \
                     Use the device of the operands.",
                    other.name
                )));
            }
            let calls = device.calls.take();
            let Some((asked, a, b)) = calls.first() else {
                return Err(wrong(format!(
                    "{op:?} on {name}: the device was not called. Call its \
                     `binary`."
                )));
            };
            if *asked != op {
                return Err(wrong(format!(
                    "{op:?} on {name}: the device was called for {asked:?}. \
                     Pass `op` on."
                )));
            }
            if (a, b) != (&x, &y) {
                return Err(wrong(format!(
                    "{op:?} on {name}: the device received {a:?} and {b:?}, \
                     but the operands are {x:?} and {y:?}, in this order."
                )));
            }
            if calls.len() > 1 {
                return Err(wrong(format!(
                    "{op:?} on {name}: the device was called {} times for one \
                     result.",
                    calls.len()
                )));
            }
            if c.numbers != result(op, &x, &y) || c.device.name() != name {
                return Err(wrong(format!(
                    "{op:?} on {name}: the result is {:?} on {}, but the \
                     device has computed {:?}.",
                    c.numbers,
                    c.device.name(),
                    result(op, &x, &y)
                )));
            }
        }
    }
    Ok(())
}

fn refuses(_: &()) -> Outcome {
    let (cpu, gpu) = (Logged::new("cpu"), Logged::new("gpu:1"));
    let [x, y] = [cpu.tensor(&[2.0], true), gpu.tensor(&[3.0], true)];
    for (a, b) in [(&x, &y), (&y, &x)] {
        let words = match dispatch(Op::Mul, a, b) {
            Err(words) => words,
            Ok(c) => {
                return Err(wrong(format!(
                    "One operand is on {}, the other on {}, but your function \
                     returned a result on {}. A hidden copy between devices \
                     would be the slowest part of the program: return an \
                     error.",
                    a.device.name(),
                    b.device.name(),
                    c.device.name()
                )));
            }
        };
        if [&cpu, &gpu].iter().any(|device| !words.contains(device.name)) {
            return Err(wrong(format!(
                "Your sentence does not name both devices, cpu and gpu:1:\n  \
                 {words}"
            )));
        }
    }
    Ok(())
}

/// Either operand's flag is enough.
fn records(_: &()) -> Outcome {
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let device = Logged::new("cpu");
        let given = (device.tensor(&[2.0], a), device.tensor(&[3.0], b));
        for op in [Op::Add, Op::Mul] {
            let c = dispatch(op, &given.0, &given.1).map_err(wrong)?;
            let flags = format!("{op:?} with a: {a}, b: {b}");
            if c.requires_grad != (a || b) {
                return Err(wrong(format!(
                    "{flags}: the result has requires_grad = {}. A result \
                     requires a gradient if any operand does.",
                    c.requires_grad
                )));
            }
            match &c.made {
                Some(_) if !(a || b) => {
                    return Err(wrong(format!(
                        "{flags}: no operand requires a gradient, but the \
                         result remembers how it was made. Memory would grow \
                         with every step."
                    )));
                }
                None if a || b => {
                    return Err(wrong(format!(
                        "{flags}: the result does not remember how it was \
                         made, so backward would end here."
                    )));
                }
                Some(made) if made.op != op => {
                    return Err(wrong(format!(
                        "{flags}: the result remembers {:?}; backward would \
                         use the wrong rule.",
                        made.op
                    )));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The graph must save what the gradients need and nothing else.
fn keeps(_: &()) -> Outcome {
    let (x, y) = (numbers(3, 3), numbers(4, 3));
    for needs in [[true, false], [false, true], [true, true]] {
        let device = Logged::new("cpu");
        let given = (device.tensor(&x, needs[0]), device.tensor(&y, needs[1]));
        let made = |op| -> Result<Made, Stop> {
            let c = dispatch(op, &given.0, &given.1).map_err(wrong)?;
            Ok(c.made.expect("the previous step has seen it"))
        };
        if made(Op::Add)?.saved != [None, None] {
            return Err(wrong(
                "Add saved data. Each gradient of a sum is grad_out itself, so \
                 there is nothing to save.",
            ));
        }
        let saved = made(Op::Mul)?.saved;
        for (i, numbers) in [&x, &y].into_iter().enumerate() {
            let (name, other) = [("a", "b"), ("b", "a")][i];
            match &saved[i] {
                None if needs[1 - i] => {
                    return Err(wrong(format!(
                        "Mul: {other} needs a gradient, which is grad_out * \
                         {name}, but {name} was not saved in saved[{i}]."
                    )));
                }
                Some(_) if !needs[1 - i] => {
                    return Err(wrong(format!(
                        "Mul: {other} needs no gradient, but {name} was saved. \
                         Only the gradient of {other} uses {name}."
                    )));
                }
                Some(kept) if kept != numbers => {
                    return Err(wrong(format!(
                        "Mul: saved[{i}] is {kept:?}, but should be {name}, \
                         {numbers:?}."
                    )));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
