//! One expression on Part 3.

use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor, trace};

use super::super::part1::{Ops, Outcome, leaves};
use super::super::request::Request;

/// Computes the request on any device.
pub(super) fn run(request: &Request) -> Result<Outcome, Error> {
    let device = match &request.device {
        None => Device::from_env()?,
        Some(name) => name.parse()?,
    };
    let ops = Ops {
        one: &[
            ("neg", Tensor::neg),
            ("exp", Tensor::exp),
            ("log", Tensor::log),
            ("relu", Tensor::relu),
            ("abs", Tensor::abs),
            ("sqrt", Tensor::sqrt),
            ("tanh", Tensor::tanh),
            ("sigmoid", Tensor::sigmoid),
            ("sum", Tensor::sum),
            ("mean", Tensor::mean),
            ("max", Tensor::max),
            ("softmax", Tensor::softmax),
            ("log_softmax", Tensor::log_softmax),
        ],
        two: &[
            ("mul", Tensor::mul),
            ("add", Tensor::add),
            ("sub", Tensor::sub),
            ("div", Tensor::div),
        ],
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
