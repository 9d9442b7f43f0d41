//! The elementwise operations without parameters, one row each. An operation
//! that is added to all parts gets its tests from its row: against the
//! reference, at its corners, and, if Part 2 has kernels for it, in the
//! simulator.

use rungrad::ops::Op;
use rungrad::part1_cpu;
use rungrad::reference::{self, Array};
#[cfg(feature = "opencl")]
use rungrad::{part2_gpu, part3_unified};

/// An operation, and how each part calls it.
pub struct Elementwise {
    pub name: &'static str,
    /// Whether negative elements have no value, or 0 no derivative.
    pub is_positive: bool,
    /// The definition in `f64`.
    pub judge: fn(&Array) -> Array,
    pub part1: fn(&part1_cpu::Tensor) -> part1_cpu::Tensor,
    #[cfg(feature = "opencl")]
    pub part2: Option<fn(&part2_gpu::Tensor) -> part2_gpu::Tensor>,
    #[cfg(feature = "opencl")]
    pub part3: fn(&part3_unified::Tensor) -> part3_unified::Tensor,
    /// Elements with the value and the derivative that PyTorch computes there.
    pub corners: &'static [[f32; 3]],
}

/// Each row has the name, the domain, the parts that have the operation, its
/// definition and its corners.
macro_rules! rows {
    ($($name:ident $place:ident $parts:tt $judge:expr, $corners:expr;)*) => {
        pub const ALL: &[Elementwise] = &[$(Elementwise {
            name: stringify!($name),
            is_positive: rows!(@ $place),
            judge: $judge,
            part1: |a| a.$name(),
            #[cfg(feature = "opencl")]
            part2: rows!(@ $parts $name),
            #[cfg(feature = "opencl")]
            part3: |a| a.$name(),
            corners: &$corners,
        }),*];
    };
    (@ anywhere) => { false };
    (@ above_0) => { true };
    (@ [1 2 3] $name:ident) => { Some(|a| a.$name()) };
    (@ [1 3] $name:ident) => { None };
}

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

rows! {
    neg anywhere [1 2 3] |a| each(a, |x| -x), [];
    exp anywhere [1 2 3] |a| known(Op::Exp, a), [];
    log above_0 [1 3] |a| known(Op::Log, a), [];
    relu anywhere [1 2 3] |a| known(Op::Relu, a), [];
    abs anywhere [1 3] |a| each(a, f64::abs), [
        [-0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [INF, INF, 1.0], [-INF, INF, -1.0],
        [NAN, NAN, 0.0],
    ];
    sqrt above_0 [1 3] |a| each(a, f64::sqrt), [
        [-0.0, 0.0, -INF], [0.0, 0.0, INF], [4.0, 2.0, 0.25], [INF, INF, 0.0],
        [-1.0, NAN, NAN], [-INF, NAN, NAN], [NAN, NAN, NAN],
    ];
    tanh anywhere [1 3] |a| known(Op::Tanh, a), [];
    sigmoid anywhere [1 3] |a| known(Op::Sigmoid, a), [];
    gelu anywhere [1 2 3] |a| known(Op::Gelu, a), [
        [-100.0, 0.0, 0.0], [-3.0, -0.0040498674, -0.011945605],
        [-1.0, -0.15865529, -0.08331543], [-0.5, -0.15426879, 0.13250491],
        [-0.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.5, 0.3457312, 0.86749506],
        [1.0, 0.8413447, 1.0833154], [2.5, 2.4844759, 1.037611],
        [100.0, 100.0, 1.0], [INF, INF, NAN], [-INF, NAN, NAN],
        [NAN, NAN, NAN],
    ];
}

/// Returns the row of an operation.
pub fn find(name: &str) -> Option<&'static Elementwise> {
    ALL.iter().find(|one| one.name == name)
}

impl Elementwise {
    /// Applies the operation to one value.
    pub fn apply(&self, x: f64) -> f64 {
        let x = Array { shape: vec![], values: vec![x] };
        (self.judge)(&x).values[0]
    }
}

/// Returns the result of the reference, for operations that it knows.
fn known(op: Op, a: &Array) -> Array {
    reference::forward(&op, &[a]).expect("the judge knows it")
}

fn each(a: &Array, f: impl Fn(f64) -> f64) -> Array {
    let values = a.values.iter().map(|&x| f(x)).collect();
    Array { shape: a.shape.clone(), values }
}
