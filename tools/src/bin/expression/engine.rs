//! One expression on each of the three engines.

use rungrad::opencl::Gpu;
use rungrad::part3_unified::Device;
use rungrad::tape::Tape;
use rungrad::{Error, part1_cpu, part2_gpu, part3_unified};

use super::Request;
use super::expr::Expr;

/// What an engine made of the expression.
pub(crate) struct Outcome {
    /// The engine and its device, in words.
    pub(crate) place: String,
    /// The tape after backward, with the inputs' names.
    pub(crate) tape: Tape,
    /// The gradient of each input, in the order of the request.
    pub(crate) grads: Vec<Vec<f32>>,
    /// The number of elements of the result.
    pub(crate) elements: usize,
    /// Whether a sum was put on top to have a loss.
    pub(crate) summed: bool,
}

/// Computes the request on the engine that it names.
pub(crate) fn run(request: &Request) -> Result<Outcome, Error> {
    match request.engine.as_str() {
        "part1" => part1(request),
        "part2" => part2(request),
        "part3" => part3(request),
        other => Err(Error::Usage(format!(
            "`{other}` is no engine; there are part1, part2 and part3"
        ))),
    }
}

/// Functions by name.
type Table<F> = &'static [(&'static str, F)];

/// The operations of an engine: of one operand, and of two.
struct Ops<T: 'static> {
    one: Table<fn(&T) -> T>,
    two: Table<fn(&T, &T) -> T>,
}

impl<T: 'static> Ops<T> {
    fn apply(&self, name: &str, operands: &[T]) -> Result<T, Error> {
        let one = self.one.iter().find(|(known, _)| *known == name);
        let two = self.two.iter().find(|(known, _)| *known == name);
        match (one, two, operands) {
            (Some((_, op)), _, [a]) => Ok(op(a)),
            (_, Some((_, op)), [a, b]) => Ok(op(a, b)),
            (None, None, _) => {
                let one = self.one.iter().map(|(name, _)| *name);
                let two = self.two.iter().map(|(name, _)| *name);
                let known: Vec<&str> = two.chain(one).collect();
                Err(Error::Usage(format!(
                    "this engine has no operation `{name}`; it has {}",
                    known.join(", ")
                )))
            }
            _ => Err(Error::Usage(format!(
                "{name} takes {} operands, and {} were given",
                if one.is_some() { 1 } else { 2 },
                operands.len()
            ))),
        }
    }

    /// Evaluates the expression over these inputs.
    fn evaluate(&self, expr: &Expr, inputs: &[(String, T)]) -> Result<T, Error>
    where
        T: Clone,
    {
        match expr {
            Expr::Name(name) => {
                let known = inputs.iter().find(|(known, _)| known == name);
                Ok(known.expect("names were checked").1.clone())
            }
            Expr::Op(op, operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.evaluate(operand, inputs))
                    .collect::<Result<Vec<T>, _>>()?;
                self.apply(op, &operands)
            }
        }
    }
}

/// Makes a leaf of every input.
fn leaves<T>(
    request: &Request,
    leaf: impl Fn(&[usize], &[f32]) -> Result<T, Error>,
) -> Result<Vec<(String, T)>, Error> {
    let make = |(name, values): &(String, Vec<f32>)| {
        Ok((name.clone(), leaf(&[values.len()], values)?))
    };
    request.inputs.iter().map(make).collect()
}

fn part1(request: &Request) -> Result<Outcome, Error> {
    use part1_cpu::Tensor;
    if let Some(device) = request.device.as_deref().filter(|d| *d != "cpu") {
        return Err(Error::Usage(format!(
            "part1 runs on the processor only, not on {device}; use --engine \
             part2 or part3 for other devices"
        )));
    }
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
    let inputs =
        leaves(request, |shape, values| Ok(Tensor::new(shape, values)))?;
    let result = ops.evaluate(&request.expr, &inputs)?;
    let elements = result.to_vec().len();
    let summed = elements != 1;
    let loss = if summed { result.sum() } else { result };
    let mut tape = loss.backward_recorded();
    let mut grads = Vec::new();
    for (name, input) in &inputs {
        tape.set_name(input.id(), name);
        let grad = input.grad().expect("every input is used");
        grads.push(grad.into_iter().collect());
    }
    let place = "part 1, the processor".to_string();
    Ok(Outcome { place, tape, grads, elements, summed })
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
