//! Every operation of [`rungrad::ops::OPERATIONS`] as a call with its
//! parameters, and its `f64` reference. The reference of a derived operation
//! is its definition and does not depend on how an engine derives it.

use rungrad::gradcheck;
use rungrad::ops::{Keep, Op};
use rungrad::reference::{self, Array};
use rungrad::shape;

use super::elementwise::{self, Elementwise};

#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Mul,
    Add,
    Sub,
    Div,
    /// One of [`elementwise::ALL`].
    Each(&'static str),
    Pow(f32),
    Sum(Vec<usize>, Keep),
    Mean(Vec<usize>, Keep),
    Max(Vec<usize>, Keep),
    Matmul,
    Reshape(Vec<usize>),
    Transpose,
    Softmax,
    LogSoftmax,
    CrossEntropy(Vec<usize>),
}

impl Call {
    pub fn name(&self) -> &'static str {
        match self {
            Call::Mul => "mul",
            Call::Add => "add",
            Call::Sub => "sub",
            Call::Div => "div",
            Call::Each(name) => name,
            Call::Pow(_) => "pow",
            Call::Sum(..) => "sum",
            Call::Mean(..) => "mean",
            Call::Max(..) => "max",
            Call::Matmul => "matmul",
            Call::Reshape(_) => "reshape",
            Call::Transpose => "transpose",
            Call::Softmax => "softmax",
            Call::LogSoftmax => "log_softmax",
            Call::CrossEntropy(_) => "cross_entropy",
        }
    }

    /// Returns the reference result in `f64`.
    pub fn judge(&self, operands: &[Array]) -> Array {
        let judged = |op: Op, inputs: &[&Array]| {
            reference::forward(&op, inputs).expect("the judge knows it")
        };
        let inputs: Vec<&Array> = operands.iter().collect();
        let a = inputs[0];
        match self {
            Call::Mul => judged(Op::Mul, &inputs),
            Call::Add => judged(Op::Add, &inputs),
            Call::Sub => judged(Op::Add, &[a, &each(inputs[1], |y| -y)]),
            Call::Div => judged(Op::Div, &inputs),
            Call::Each(name) => (find(name).judge)(a),
            Call::Pow(number) => judged(Op::Pow(*number), &inputs),
            Call::Sum(axes, keep) => {
                judged(Op::Sum(axes.clone(), *keep), &inputs)
            }
            Call::Mean(axes, keep) => {
                let count: usize =
                    axes.iter().map(|&axis| a.shape[axis]).product();
                let total = judged(Op::Sum(axes.clone(), *keep), &inputs);
                each(&total, |x| x / count as f64)
            }
            Call::Max(axes, keep) => {
                judged(Op::Max(axes.clone(), *keep), &inputs)
            }
            Call::Matmul => judged(Op::Matmul, &inputs),
            Call::Reshape(shape) => judged(Op::Reshape(shape.clone()), &inputs),
            Call::Transpose => {
                let mut axes: Vec<usize> = (0..a.shape.len()).collect();
                let last = axes.len() - 1;
                axes.swap(last - 1, last);
                judged(Op::Permute(axes), &inputs)
            }
            Call::Softmax => judged(Op::Softmax, &inputs),
            Call::LogSoftmax => judged(Op::LogSoftmax, &inputs),
            Call::CrossEntropy(labels) => {
                let logs = judged(Op::LogSoftmax, &inputs);
                let right = judged(Op::Pick(labels.clone()), &[&logs]);
                let total = reference::sum(&right, &[]);
                each(&total, |x| -x / labels.len() as f64)
            }
        }
    }

    /// Returns the allowed error of an `f32` result, for each element.
    ///
    /// One rounding changes a value by at most a factor of 1 ± 2^-24. An
    /// element is computed with at most as many roundings as the largest
    /// operand has elements, plus 16 for devices that compute powers in
    /// several steps. Intermediate values are at most as large as the result
    /// of the same call on absolute values, where nothing cancels.
    pub fn allowed(&self, operands: &[Array]) -> Array {
        let sizes: Vec<Array> =
            operands.iter().map(|a| each(a, f64::abs)).collect();
        let largest = sizes.iter().flat_map(|a| &a.values);
        let largest = largest.fold(1.0, |most: f64, x| most.max(*x));
        let magnitude = match self {
            Call::Sub => Call::Add.judge(&sizes),
            // The rounded values are differences of scores, and exponentials
            // below 1.
            Call::Softmax | Call::LogSoftmax | Call::CrossEntropy(_) => {
                each(&self.judge(operands), |y| y.abs() + largest)
            }
            _ => self.judge(&sizes),
        };
        let rounding = rounding(operands);
        each(&magnitude, |m| rounding * m.abs())
    }

    /// Returns the allowed rounding error of the `f32` gradient of an operand.
    /// The caller also allows a fraction of the largest gradient. Each element
    /// is a sum, and where its terms cancel, the rounding errors of the terms
    /// remain. The bound is the number of roundings times the sum of absolute
    /// terms. It holds for any order of summation, and for a softmax with or
    /// without subtraction of the largest score.
    pub fn gradient_allowed(
        &self,
        operands: &[Array],
        place: usize,
        grad_out: &Array,
    ) -> Array {
        let sizes: Vec<Array> =
            operands.iter().map(|a| each(a, f64::abs)).collect();
        let grads = each(grad_out, f64::abs);
        let terms = |call: &Call| {
            let objective =
                |at: &[Array]| gradcheck::dot(&call.judge(at), &grads);
            gradcheck::slope(&sizes, place, objective)
        };
        let terms = match self {
            Call::Softmax | Call::LogSoftmax | Call::CrossEntropy(_) => {
                self.row_terms(&operands[0], &grads)
            }
            Call::Sub => terms(&Call::Add),
            // Elementwise operations add nothing up.
            Call::Each(_) | Call::Pow(_) | Call::Max(..) => {
                each(&operands[place], |_| 0.0)
            }
            _ => terms(self),
        };
        let rounding = rounding(operands);
        each(&terms, |size| rounding * size.abs())
    }

    /// Returns the sum of the absolute terms in the gradient of each score.
    /// They are the term of its own probability, and the probability times the
    /// terms of the whole row. The logarithm of a probability is a difference
    /// of a score and a value of the row, so its error is proportional to the
    /// probability.
    fn row_terms(&self, scores: &Array, grads: &Array) -> Array {
        let logs = reference::log_softmax(scores);
        let columns = scores.shape.last().map_or(1, |&n| n.max(1));
        let met = |i: usize| {
            let log = logs.values[i];
            let row = &scores.values[i / columns * columns..][..columns];
            let largest = row.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let share = log.exp() * (1.0 + largest + log.abs());
            let own = match self {
                Call::Softmax => grads.values[i] * share,
                Call::LogSoftmax => grads.values[i],
                // Each row has one label.
                _ => {
                    grads.values[0] * columns as f64 / logs.values.len() as f64
                }
            };
            [own, share]
        };
        let met: Vec<[f64; 2]> = (0..logs.values.len()).map(met).collect();
        let rows = met.chunks(columns).flat_map(|row| {
            let all = row.iter().map(|[own, _]| own);
            let all = match self {
                Call::CrossEntropy(_) => row[0][0],
                _ => all.sum::<f64>(),
            };
            row.iter().map(move |[own, share]| own + share * all)
        });
        Array { shape: logs.shape.clone(), values: rows.collect() }
    }
}

/// Returns the maximum relative error of all roundings of one element.
pub fn rounding(operands: &[Array]) -> f64 {
    let elements = operands.iter().map(|a| shape::size(&a.shape)).max();
    (elements.unwrap_or(0) + 16) as f64 * 2f64.powi(-24)
}

/// Returns the row of a [`Call::Each`].
pub fn find(name: &str) -> &'static Elementwise {
    let row = elementwise::find(name);
    row.unwrap_or_else(|| panic!("{name} has no row in {ROWS}"))
}

const ROWS: &str = "crates/testkit/src/elementwise.rs";

pub fn each(a: &Array, f: impl Fn(f64) -> f64) -> Array {
    let values = a.values.iter().map(|&x| f(x)).collect();
    Array { shape: a.shape.clone(), values }
}
