//! Evaluates an expression with Part 1, and defines what all engines share.

use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::tape::Tape;

use super::expr::Expr;
use super::request::Request;

/// The result of an engine.
pub struct Outcome {
    /// The names of the engine and its device.
    pub place: String,
    /// The tape after the backward pass, with the names of the inputs.
    pub tape: Tape,
    /// The gradient of each input, in the order of the request.
    pub grads: Vec<Vec<f32>>,
    /// The number of elements of the result.
    pub elements: usize,
    /// Whether a sum was appended to make the result a scalar loss.
    pub summed: bool,
}

/// Functions with their names.
pub type Table<F> = &'static [(&'static str, F)];

/// Lists the operations of an engine by name: unary, then binary.
macro_rules! ops {
    ($tensor:ty; $($one:ident),*; $($two:ident),*) => {
        $crate::expression::part1::Ops {
            one: &[$((stringify!($one), <$tensor>::$one)),*],
            two: &[$((stringify!($two), <$tensor>::$two)),*],
        }
    };
}
#[cfg(feature = "opencl")]
pub(super) use ops;

/// The unary and binary operations of an engine.
pub struct Ops<T: 'static> {
    pub one: Table<fn(&T) -> T>,
    pub two: Table<fn(&T, &T) -> T>,
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

    /// Evaluates the expression on these inputs.
    pub fn evaluate(
        &self,
        expr: &Expr,
        inputs: &[(String, T)],
    ) -> Result<T, Error>
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

/// The operations of Part 1.
pub const OPS: Ops<Tensor> = ops! { Tensor;
    neg, exp, log, relu, abs, sqrt, tanh, sigmoid, sum, mean, max,
    softmax, log_softmax;
    mul, add, sub, div
};

/// Creates a leaf for each input.
pub fn leaves<T>(
    request: &Request,
    leaf: impl Fn(&[usize], &[f32]) -> Result<T, Error>,
) -> Result<Vec<(String, T)>, Error> {
    let make = |(name, values): &(String, Vec<f32>)| {
        Ok((name.clone(), leaf(&[values.len()], values)?))
    };
    request.inputs.iter().map(make).collect()
}

/// Evaluates the expression with Part 1.
pub fn run(request: &Request) -> Result<Outcome, Error> {
    if let Some(device) = request.device.as_deref().filter(|d| *d != "cpu") {
        return Err(Error::Usage(format!(
            "part1 runs on the processor only, not on {device}; use --engine \
             part2 or part3 for other devices"
        )));
    }
    let inputs =
        leaves(request, |shape, values| Ok(Tensor::new(shape, values)))?;
    let result = OPS.evaluate(&request.expr, &inputs)?;
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
