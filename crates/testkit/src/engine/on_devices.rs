//! The adapters of Parts 2 and 3.

use rungrad::opencl::{DeviceInfo, Gpu, devices};
use rungrad::ops::Keep;
use rungrad::part3_unified::Device;
use rungrad::tape::Tape;
use rungrad::{part2_gpu, part3_unified};

use super::Engine;
use crate::calls::{Call, find};

pub struct Part2(pub Gpu);

impl Engine for Part2 {
    type Tensor = part2_gpu::Tensor;

    fn name(&self) -> String {
        format!("part 2 on {}", self.0.name())
    }

    fn quotients_err_by(&self) -> f32 {
        division_error(self.0.info())
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Self::Tensor {
        let tensor = part2_gpu::Tensor::new(&self.0, shape, values);
        tensor.unwrap().requires_grad()
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
        part2_call(call, operands)
    }

    fn shape(&self, a: &Self::Tensor) -> Vec<usize> {
        a.shape().to_vec()
    }

    fn values(&self, a: &Self::Tensor) -> Vec<f32> {
        a.to_vec().unwrap()
    }

    fn grad(&self, a: &Self::Tensor) -> Option<Vec<f32>> {
        let grad = a.grad()?;
        assert_eq!(grad.shape(), a.shape());
        assert!(!grad.records(), "a gradient has no gradient");
        Some(grad.to_vec().unwrap())
    }

    fn zero_grad(&self, a: &Self::Tensor) {
        a.zero_grad();
    }

    fn backward(&self, a: &Self::Tensor) {
        a.backward();
    }

    fn backward_with(&self, a: &Self::Tensor, shape: &[usize], grad: &[f32]) {
        let grad = part2_gpu::Tensor::new(&self.0, shape, grad).unwrap();
        a.backward_with(&grad);
    }

    fn record(&self, build: impl FnOnce() -> Self::Tensor) -> Tape {
        build().backward_recorded()
    }
}

#[track_caller]
fn part2_call(
    call: &Call,
    of: &[&part2_gpu::Tensor],
) -> Option<part2_gpu::Tensor> {
    let a = of[0];
    let all: Vec<usize> = (0..a.shape().len()).collect();
    Some(match call {
        Call::Mul => a.mul(of[1]),
        Call::Add => a.add(of[1]),
        Call::Sub => a.sub(of[1]),
        Call::Div => a.div(of[1]),
        Call::Each(name) => (find(name).part2?)(a),
        Call::Sum(axes, Keep::No) if *axes == all => a.sum(),
        Call::Sum(axes, keep) => a.sum_over(axes, *keep),
        Call::Mean(axes, Keep::No) if *axes == all => a.mean(),
        Call::Mean(axes, keep) => a.mean_over(axes, *keep),
        Call::Matmul => a.matmul(of[1]),
        Call::Reshape(shape) => a.reshape(shape),
        Call::Transpose => a.transpose(),
        Call::Softmax => a.softmax(),
        Call::LogSoftmax => a.log_softmax(),
        Call::CrossEntropy(labels) => a.cross_entropy(labels),
        Call::Pow(_) | Call::Max(..) => return None,
    })
}

/// OpenCL allows this error on devices that do not round correctly.
fn division_error(device: &DeviceInfo) -> f32 {
    if device.exact_division { 0.0 } else { 2.5 }
}

pub struct Part3(pub Device);

impl Engine for Part3 {
    type Tensor = part3_unified::Tensor;

    fn name(&self) -> String {
        format!("part 3 on {}", self.0)
    }

    fn quotients_err_by(&self) -> f32 {
        match self.0 {
            Device::Gpu(index)
            | Device::Fused(index)
            | Device::Plain(index) => {
                division_error(&devices().unwrap()[index])
            }
            _ => 0.0,
        }
    }

    fn usual(&self) -> u64 {
        if matches!(self.0, Device::Fused(_)) { 3 } else { 60 }
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Self::Tensor {
        let tensor = part3_unified::Tensor::new(shape, values, self.0);
        tensor.unwrap().requires_grad()
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
        Some(part3_call(call, operands))
    }

    fn shape(&self, a: &Self::Tensor) -> Vec<usize> {
        a.shape().to_vec()
    }

    fn values(&self, a: &Self::Tensor) -> Vec<f32> {
        assert_eq!(a.device(), self.0);
        a.to_vec().unwrap()
    }

    fn grad(&self, a: &Self::Tensor) -> Option<Vec<f32>> {
        let grad = a.grad()?;
        assert_eq!(grad.shape(), a.shape());
        assert_eq!(grad.device(), self.0);
        assert!(grad.id().is_none(), "a kept gradient has no graph");
        Some(grad.to_vec().unwrap())
    }

    fn zero_grad(&self, a: &Self::Tensor) {
        a.zero_grad();
    }

    fn backward(&self, a: &Self::Tensor) {
        a.backward();
    }

    fn backward_with(&self, a: &Self::Tensor, shape: &[usize], grad: &[f32]) {
        let grad = part3_unified::Tensor::new(shape, grad, self.0).unwrap();
        a.backward_with(&grad);
    }

    fn record(&self, build: impl FnOnce() -> Self::Tensor) -> Tape {
        part3_unified::trace(|| build().backward_recorded())
    }
}

#[track_caller]
fn part3_call(
    call: &Call,
    of: &[&part3_unified::Tensor],
) -> part3_unified::Tensor {
    let a = of[0];
    match call {
        Call::Mul => a.mul(of[1]),
        Call::Add => a.add(of[1]),
        Call::Sub => a.sub(of[1]),
        Call::Div => a.div(of[1]),
        Call::Each(name) => (find(name).part3)(a),
        Call::Pow(number) => a.pow(*number),
        Call::Sum(axes, keep) => a.sum_over(axes, *keep),
        Call::Mean(axes, keep) => a.mean_over(axes, *keep),
        Call::Max(axes, keep) => a.max_over(axes, *keep),
        Call::Matmul => a.matmul(of[1]),
        Call::Reshape(shape) => a.reshape(shape),
        Call::Transpose => a.transpose(),
        Call::Softmax => a.softmax(),
        Call::LogSoftmax => a.log_softmax(),
        Call::CrossEntropy(labels) => a.cross_entropy(labels),
    }
}
