//! Part 1 with a wrong version of one operation.

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;
use rungrad::tape::Tape;

use testkit::calls::Call;
use testkit::engine::{Engine, Part1};

/// Returns a wrong result of an operation, or `None` to use Part 1's own.
pub type Wrong = fn(&Call, &[&Tensor]) -> Option<Tensor>;

pub struct Buggy(pub Wrong);

/// Returns Part 1's result with a different backward rule, which takes the
/// operands and `grad_out`.
pub fn with_rule(
    call: &Call,
    of: &[&Tensor],
    rule: impl Fn(&[ArrayD<f32>], &ArrayD<f32>) -> Vec<ArrayD<f32>> + 'static,
) -> Option<Tensor> {
    let data = Part1.call(call, of)?.data();
    let operands: Vec<_> = of.iter().map(|t| (*t.data()).clone()).collect();
    let data = (*data).clone();
    Some(Tensor::from_op(call.name(), of, data, move |grad_out| {
        rule(&operands, grad_out)
    }))
}

impl Engine for Buggy {
    type Tensor = Tensor;

    fn name(&self) -> String {
        "part 1, faulty".to_string()
    }

    fn call(&self, call: &Call, operands: &[&Tensor]) -> Option<Tensor> {
        (self.0)(call, operands).or_else(|| Part1.call(call, operands))
    }

    fn mul(&self, a: &Tensor, b: &Tensor) -> Tensor {
        self.call(&Call::Mul, &[a, b]).expect("a product")
    }

    fn sum(&self, a: &Tensor) -> Tensor {
        Part1.sum(a)
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Tensor {
        Part1.leaf(shape, values)
    }

    fn shape(&self, a: &Tensor) -> Vec<usize> {
        Part1.shape(a)
    }

    fn values(&self, a: &Tensor) -> Vec<f32> {
        Part1.values(a)
    }

    fn grad(&self, a: &Tensor) -> Option<Vec<f32>> {
        Part1.grad(a)
    }

    fn zero_grad(&self, a: &Tensor) {
        Part1.zero_grad(a);
    }

    fn backward(&self, a: &Tensor) {
        Part1.backward(a);
    }

    fn backward_with(&self, a: &Tensor, shape: &[usize], grad: &[f32]) {
        Part1.backward_with(a, shape, grad);
    }

    fn record(&self, build: impl FnOnce() -> Tensor) -> Tape {
        Part1.record(build)
    }
}
