//! Evaluates an expression with Part 3.

use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor, trace};

use super::super::part1::{Outcome, leaves, ops};
use super::super::request::Request;

/// Evaluates the expression on any device.
pub(super) fn run(request: &Request) -> Result<Outcome, Error> {
    let device = match &request.device {
        None => Device::from_env()?,
        Some(name) => name.parse()?,
    };
    let ops = ops! { Tensor;
        neg, exp, log, relu, abs, sqrt, tanh, sigmoid, sum, mean, max,
        softmax, log_softmax;
        mul, add, sub, div
    };
    let inputs = leaves(request, |shape, values| {
        Ok(Tensor::new(shape, values, device)?.requires_grad())
    })?;
    trace(|| {
        let result = ops.evaluate(&request.expr, &inputs)?;
        let elements = result.array().len();
        let summed = elements != 1;
        let loss = if summed { result.sum() } else { result };
        let mut tape = loss.backward_recorded();
        let mut grads = Vec::new();
        for (name, input) in &inputs {
            tape.set_name(input.id().expect("a leaf has a node"), name);
            let grad = input.grad().expect("every input is used");
            grads.push(grad.to_vec()?);
        }
        let place = format!("part 3, {device}: {}", device.name()?);
        Ok(Outcome { place, tape, grads, elements, summed })
    })
}
