//! Evaluates an expression with Part 2.

use rungrad::Error;
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;
use rungrad::part3_unified::Device;

use super::super::part1::{Outcome, leaves, ops};
use super::super::request::Request;

/// Evaluates the expression on an OpenCL device.
pub(super) fn run(request: &Request) -> Result<Outcome, Error> {
    let gpu = match request.device.as_deref() {
        None => Gpu::first()?,
        Some(name) => match name.parse()? {
            Device::Gpu(index) => Gpu::open(index)?,
            _ => {
                return Err(Error::Usage(
                    "part2 runs on OpenCL devices only; write --device gpu, \
                     which may well be a driver for your processor"
                        .to_string(),
                ));
            }
        },
    };
    let ops = ops! { Tensor;
        neg, exp, relu, sum, mean, softmax, log_softmax;
        mul, add, sub, div
    };
    let inputs = leaves(request, |shape, values| {
        Ok(Tensor::new(&gpu, shape, values)?.requires_grad())
    })?;
    let result = ops.evaluate(&request.expr, &inputs)?;
    let elements = result.len();
    let summed = elements != 1;
    let loss = if summed { result.sum() } else { result };
    let mut tape = loss.backward_recorded();
    let mut grads = Vec::new();
    for (name, input) in &inputs {
        tape.set_name(input.id(), name);
        grads.push(input.grad().expect("every input is used").to_vec()?);
    }
    let place = format!("part 2, {}", gpu.name());
    Ok(Outcome { place, tape, grads, elements, summed })
}
