//! The interface that an engine implements to be tested. Each part of the
//! course has a short adapter, so one specification covers all of them.

use ndarray::{ArrayD, IxDyn};
use rungrad::ops::Keep;
use rungrad::part1_cpu;
use rungrad::tape::Tape;

use super::calls::{Call, find};
use super::refusal;

#[cfg(feature = "opencl")]
mod on_devices;
#[cfg(feature = "opencl")]
pub use on_devices::{Part2, Part3};

/// Each operation panics at its caller's line, so tests can check the line.
pub trait Engine {
    type Tensor: Clone;

    fn name(&self) -> String;
    /// Returns a leaf that keeps its gradient.
    fn leaf(&self, shape: &[usize], values: &[f32]) -> Self::Tensor;
    #[track_caller]
    fn mul(&self, a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor;
    #[track_caller]
    fn sum(&self, a: &Self::Tensor) -> Self::Tensor;
    /// Returns the maximum error of a division in units in the last place,
    /// which is 0 on devices that round correctly.
    fn quotients_err_by(&self) -> f32 {
        0.0
    }
    /// Returns the default number of cases for each operation. It is low where
    /// a driver compiles a kernel for each case.
    fn usual(&self) -> u64 {
        60
    }
    /// Computes any operation, or returns `None` if the engine does not have it.
    #[track_caller]
    fn call(
        &self,
        _call: &Call,
        _operands: &[&Self::Tensor],
    ) -> Option<Self::Tensor> {
        None
    }
    fn shape(&self, a: &Self::Tensor) -> Vec<usize>;
    fn values(&self, a: &Self::Tensor) -> Vec<f32>;
    fn grad(&self, a: &Self::Tensor) -> Option<Vec<f32>>;
    fn zero_grad(&self, a: &Self::Tensor);
    #[track_caller]
    fn backward(&self, a: &Self::Tensor);
    #[track_caller]
    fn backward_with(&self, a: &Self::Tensor, shape: &[usize], grad: &[f32]);
    /// Builds a graph, runs backward, and returns its tape.
    fn record(&self, build: impl FnOnce() -> Self::Tensor) -> Tape;

    /// Returns the message with which `work` is rejected. `what` names the
    /// call if a line contains several. Engines with different messages
    /// override this and the three checks below.
    #[track_caller]
    fn refusal<T>(&self, what: &str, work: impl FnOnce() -> T) -> String {
        refusal::refusal_of(what, work)
    }

    /// Asserts that the message equals `expected`.
    #[track_caller]
    fn says(&self, message: &str, expected: &str) {
        assert_eq!(message, expected);
    }

    /// Asserts that the message begins with `expected`.
    #[track_caller]
    fn begins(&self, message: &str, expected: &str) {
        assert!(message.starts_with(expected), "{message}");
    }

    /// Asserts that the message contains these words.
    #[track_caller]
    fn names(&self, message: &str, words: &[&str]) {
        for word in words {
            assert!(message.contains(word), "no {word} in: {message}");
        }
    }
}

pub struct Part1;

impl Engine for Part1 {
    type Tensor = part1_cpu::Tensor;

    fn name(&self) -> String {
        "part 1".to_string()
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Self::Tensor {
        part1_cpu::Tensor::new(shape, values)
    }

    fn mul(&self, a: &Self::Tensor, b: &Self::Tensor) -> Self::Tensor {
        a.mul(b)
    }

    fn sum(&self, a: &Self::Tensor) -> Self::Tensor {
        a.sum()
    }

    fn call(
        &self,
        call: &Call,
        operands: &[&Self::Tensor],
    ) -> Option<Self::Tensor> {
        Some(part1_call(call, operands))
    }

    fn shape(&self, a: &Self::Tensor) -> Vec<usize> {
        a.shape().to_vec()
    }

    fn values(&self, a: &Self::Tensor) -> Vec<f32> {
        a.to_vec()
    }

    fn grad(&self, a: &Self::Tensor) -> Option<Vec<f32>> {
        let grad = a.grad()?;
        assert_eq!(grad.shape(), a.shape());
        Some(grad.into_iter().collect())
    }

    fn zero_grad(&self, a: &Self::Tensor) {
        a.zero_grad();
    }

    fn backward(&self, a: &Self::Tensor) {
        a.backward();
    }

    fn backward_with(&self, a: &Self::Tensor, shape: &[usize], grad: &[f32]) {
        let grad = ArrayD::from_shape_vec(IxDyn(shape), grad.to_vec());
        a.backward_with(&grad.unwrap());
    }

    fn record(&self, build: impl FnOnce() -> Self::Tensor) -> Tape {
        build().backward_recorded()
    }
}

/// A reduction over all axes uses the short form, as a loss does.
#[track_caller]
fn part1_call(call: &Call, of: &[&part1_cpu::Tensor]) -> part1_cpu::Tensor {
    let a = of[0];
    let all: Vec<usize> = (0..a.shape().len()).collect();
    match call {
        Call::Mul => a.mul(of[1]),
        Call::Add => a.add(of[1]),
        Call::Sub => a.sub(of[1]),
        Call::Div => a.div(of[1]),
        Call::Each(name) => (find(name).part1)(a),
        Call::Pow(number) => a.pow(*number),
        Call::Sum(axes, Keep::No) if *axes == all => a.sum(),
        Call::Sum(axes, keep) => a.sum_over(axes, *keep),
        Call::Mean(axes, Keep::No) if *axes == all => a.mean(),
        Call::Mean(axes, keep) => a.mean_over(axes, *keep),
        Call::Max(axes, Keep::No) if *axes == all => a.max(),
        Call::Max(axes, keep) => a.max_over(axes, *keep),
        Call::Matmul => a.matmul(of[1]),
        Call::Reshape(shape) => a.reshape(shape),
        Call::Transpose => a.transpose(),
        Call::Softmax => a.softmax(),
        Call::LogSoftmax => a.log_softmax(),
        Call::CrossEntropy(labels) => a.cross_entropy(labels),
    }
}
