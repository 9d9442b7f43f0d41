//! Checks `moving_data`, all kinds of data to all devices.
//!
//! The second device is provided by the harness, so that the check runs on
//! every machine and can count copies.

use std::process::ExitCode;

use exercises::{
    Outcome, Stop, check, copies, elsewhere, expect, numbers, wrong,
};
use ndarray::{ArrayD, IxDyn};
use rungrad::part3_unified::{Device, Tensor};

exercises::yours!("part3_unified/moving_data.rs");

use yours::Data;

fn devices() -> [Device; 2] {
    [Device::Cpu, elsewhere()]
}

fn main() -> ExitCode {
    check(
        "moving_data",
        YOURS,
        &[
            ("a list is moved to both devices", lists),
            (
                "the elements of a transposed ndarray keep their positions",
                ndarrays,
            ),
            ("a missing element is an error", refused),
            ("a tensor is moved from and to both devices", tensors),
            ("data that is already there is not copied", at_home),
            ("each move takes only one copy", one_copy),
            ("a gradient flows back to the leaf", gradients),
        ],
    )
}

/// Checks the device and the elements of a tensor.
fn judge(
    what: &str,
    found: &Tensor,
    device: Device,
    shape: &[usize],
    values: &[f32],
) -> Outcome {
    if found.device() != device {
        return Err(wrong(format!(
            "{what} should be on {device}, but it is on {}. No error would \
             report this: operations on it would run there.",
            found.device()
        )));
    }
    if found.shape() != shape {
        return Err(wrong(format!(
            "{what} has shape {:?} on {device}. It should have {shape:?}.",
            found.shape()
        )));
    }
    expect(&format!("{what} on {device}"), &found.to_vec()?, values)
}

fn lists(_: &()) -> Outcome {
    for device in devices() {
        let values = numbers(1, 6);
        let data = Data::List(vec![2, 3], values.clone());
        let found = yours::moved(data, device)?;
        judge("The list", &found, device, &[2, 3], &values)?;
    }
    Ok(())
}

fn ndarrays(_: &()) -> Outcome {
    for device in devices() {
        let rows = ArrayD::from_shape_vec(IxDyn(&[2, 3]), numbers(2, 6));
        let turned = rows.expect("six values").reversed_axes();
        let right: Vec<f32> = turned.iter().copied().collect();
        let (lies, _) = turned.clone().into_raw_vec_and_offset();
        let found = yours::moved(Data::Ndarray(turned), device)?;
        if found.device() == device && found.to_vec()? == lies {
            return Err(wrong(
                "The ndarray was transposed, but its elements arrived in \
                 memory order. `iter()` returns them in the order of their \
                 indices.",
            ));
        }
        judge("The ndarray", &found, device, &[3, 2], &right)?;
    }
    Ok(())
}

fn refused(_: &()) -> Outcome {
    let data = Data::List(vec![2, 3], numbers(3, 5));
    match yours::moved(data, Device::Cpu) {
        Err(_) => Ok(()),
        Ok(found) => Err(wrong(format!(
            "Five elements cannot fill the shape [2, 3], but your function \
             made {:?} of them. Return an error.",
            found.shape()
        ))),
    }
}

fn on(device: Device, seed: u64) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&[3], &numbers(seed, 3), device)?)
}

fn tensors(_: &()) -> Outcome {
    for (from, to) in [(Device::Cpu, elsewhere()), (elsewhere(), Device::Cpu)] {
        let found = yours::moved(Data::Tensor(on(from, 4)?), to)?;
        judge("The tensor", &found, to, &[3], &numbers(4, 3))?;
    }
    Ok(())
}

fn at_home(_: &()) -> Outcome {
    for device in devices() {
        let tensor = on(device, 5)?;
        let before = copies();
        let found = yours::moved(Data::Tensor(tensor.clone()), device)?;
        if before != copies() || !found.array().shares_storage(tensor.array()) {
            return Err(wrong(format!(
                "The tensor was already on {device}, but it was copied: the \
                 result has its own memory."
            )));
        }
        judge("The tensor", &found, device, &[3], &numbers(5, 3))?;
    }
    Ok(())
}

fn one_copy(_: &()) -> Outcome {
    for (from, to, right) in
        [(Device::Cpu, elsewhere(), [1, 0]), (elsewhere(), Device::Cpu, [0, 1])]
    {
        let tensor = on(from, 6)?;
        let before = copies();
        let _ = yours::moved(Data::Tensor(tensor), to)?;
        let [up, down] = [0, 1].map(|way| copies()[way] - before[way]);
        if [up, down] != right {
            return Err(wrong(format!(
                "From {from} to {to} the data was copied {up} times to the \
                 device and {down} times from it; one copy is enough."
            )));
        }
    }
    Ok(())
}

fn gradients(_: &()) -> Outcome {
    for (from, to) in [(Device::Cpu, elsewhere()), (elsewhere(), Device::Cpu)] {
        let leaf = on(from, 7)?.requires_grad();
        let found = yours::moved(Data::Tensor(leaf.clone()), to)?;
        let Some(_) = found.id() else {
            return Err(wrong(format!(
                "The tensor on {from} requires a gradient, but the one on {to} \
                 does not: only the data was copied, without the graph. No \
                 gradient flowed back."
            )));
        };
        let seed = Tensor::new(&[3], &numbers(8, 3), to)?;
        found.backward_with(&seed);
        let Some(grad) = leaf.grad() else {
            return Err(wrong(format!(
                "The tensor on {to} is a separate leaf: it keeps its gradient, \
                 and the tensor on {from} gets none. The move must be part of \
                 the graph."
            )));
        };
        judge("The gradient", &grad, from, &[3], &numbers(8, 3))?;
        let constant = on(from, 9)?;
        let found = yours::moved(Data::Tensor(constant), to)?;
        if found.id().is_some() {
            return Err(wrong(format!(
                "The tensor on {from} requires no gradient, but the one on \
                 {to} does. A move changes only the device."
            )));
        }
    }
    Ok(())
}
