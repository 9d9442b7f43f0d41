//! One expression on each of the three engines.

use rungrad::opencl::Gpu;
use rungrad::part3_unified::Device;
use rungrad::{Error, part2_gpu, part3_unified};

use super::Request;
use super::part1;
pub(crate) use super::part1::Outcome;
use super::part1::{Ops, leaves};

/// Computes the request on the engine that it names.
pub(crate) fn run(request: &Request) -> Result<Outcome, Error> {
    match request.engine.as_str() {
        "part1" => part1::run(request),
        "part2" => part2(request),
        "part3" => part3(request),
        other => Err(Error::Usage(format!(
            "`{other}` is no engine; there are part1, part2 and part3"
        ))),
    }
}

fn part2(request: &Request) -> Result<Outcome, Error> {
    use part2_gpu::Tensor;
    let gpu = match request.device.as_deref() {
        None => Gpu::first()?,
        Some(name) => match name.parse()? {
            Device::Gpu(index) => Gpu::open(index)?,
            Device::Cpu | Device::Custom(_) => {
                return Err(Error::Usage(
                    "part2 runs on OpenCL devices only; write --device gpu, \
                     which may well be a driver for your processor"
                        .to_string(),
                ));
            }
        },
    };
    let ops = Ops {
        one: &[
            ("neg", Tensor::neg),
            ("exp", Tensor::exp),
            ("relu", Tensor::relu),
            ("sum", Tensor::sum),
            ("mean", Tensor::mean),
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

fn part3(request: &Request) -> Result<Outcome, Error> {
    use part3_unified::{Tensor, trace};
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
