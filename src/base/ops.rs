//! The operations: their names and order, once, for every part, and what a
//! tape says of one.
//!
//! Part 1 has this list, Part 2 a subsequence of it, and Part 3 begins with
//! it; `tests/architecture.rs` holds the files to that order.

use std::fmt;

use crate::shape::{Span, Window};

/// The operations, in teaching order.
pub const OPERATIONS: &[&str] = &[
    "mul",
    "add",
    "sub",
    "div",
    "neg",
    "pow",
    "exp",
    "log",
    "relu",
    "abs",
    "sqrt",
    "tanh",
    "sigmoid",
    "gelu",
    "sum",
    "mean",
    "max",
    "matmul",
    "reshape",
    "transpose",
    "softmax",
    "log_softmax",
    "cross_entropy",
];

/// An operation that carries a gradient of its own, with its parameters. The
/// others of [`OPERATIONS`] are made of these in a line each.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Given, not computed.
    Leaf,
    /// Given, and without a gradient.
    Constant,
    /// The product, the shapes broadcast.
    Mul,
    /// The sum of two, the shapes broadcast.
    Add,
    /// The quotient, the shapes broadcast.
    Div,
    /// A product with a number.
    Scale(f32),
    /// A sum with a number.
    Shift(f32),
    /// A quotient by a number: `x / 2`.
    DivScalar(f32),
    /// A number by the operand: `2 / x`.
    RdivScalar(f32),
    /// A power with a number for exponent.
    Pow(f32),
    /// The exponential.
    Exp,
    /// The natural logarithm.
    Log,
    /// The positive part.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// The Gaussian error linear unit.
    Gelu,
    /// The sine, of an angle in radians.
    Sin,
    /// The cosine, of an angle in radians.
    Cos,
    /// The error function.
    Erf,
    /// The logarithm of 1 and the operand.
    Log1p,
    /// The first operand to the power of the second.
    PowTensor,
    /// The larger of two.
    Maximum,
    /// The largest whole number that is not above the operand.
    Floor,
    /// The nearest whole number; of two the even one.
    Round,
    /// The sign: 1, 0 or -1.
    Sign,
    /// The sum over these axes, which stay with size 1 when kept.
    Sum(Vec<usize>, Keep),
    /// The largest over these axes.
    Max(Vec<usize>, Keep),
    /// What the largest over these axes got, shared by those as large.
    MaxShare(Vec<usize>),
    /// The product of two matrices.
    Matmul,
    /// A product of views: so many first axes are a batch, and so many last ones
    /// are summed over.
    Contract(usize, usize),
    /// The windows of images times filters, in so many groups.
    Conv2d(Box<Window>, usize),
    /// The same elements in another shape.
    Reshape(Vec<usize>),
    /// The axes in another order.
    Permute(Vec<usize>),
    /// The shares of the scores along the last axis.
    Softmax,
    /// The logarithm of softmax along the last axis.
    LogSoftmax,
    /// Rows, which go over as many of the last axes as the weight, at mean 0
    /// and variance 1, times the weight, plus the bias; the number is added to
    /// the variance.
    LayerNorm(f64),
    /// From each row the element that a label names.
    Pick(Vec<usize>),
    /// The elements repeated to a larger shape.
    Expand(Vec<usize>),
    /// A part of each axis.
    Slice(Vec<Span>),
    /// The second operand in the place of a part of the first.
    SliceAssign(Vec<Span>),
    /// Some axes backwards.
    Flip(Vec<usize>),
    /// One operand after another along an axis.
    Cat(usize),
    /// The second operand where the first is not 0, else the third.
    WhereCond,
    /// The elements at these indices along an axis.
    IndexSelect(usize, Vec<usize>),
    /// The elements along an axis, each added to the one at its index, among so
    /// many.
    IndexAdd(usize, Vec<usize>, usize),
    /// The positions of a window over the last two axes.
    Windows(Box<Window>),
    /// Windows, added up to images of a height and a width.
    Fold(Box<Window>, [usize; 2]),
    /// A copy on another device.
    To(String),
    /// An operation of a reader's own.
    Custom(&'static str),
}

/// Whether a reduced axis stays with size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It stays.
    Yes,
    /// It goes.
    No,
}

impl Op {
    /// Finds an operation of this crate without parameters by its name.
    pub fn find(name: &str) -> Option<Op> {
        let plain = [
            Op::Mul,
            Op::Add,
            Op::Div,
            Op::Exp,
            Op::Log,
            Op::Relu,
            Op::Tanh,
            Op::Sigmoid,
            Op::Gelu,
            Op::Sin,
            Op::Cos,
            Op::Erf,
            Op::Log1p,
            Op::PowTensor,
            Op::Maximum,
            Op::Floor,
            Op::Round,
            Op::Sign,
            Op::Matmul,
            Op::Softmax,
            Op::LogSoftmax,
        ];
        plain.into_iter().find(|op| op.name() == name)
    }

    /// Makes an operation of a name. If that is a name of this crate, the
    /// judge knows the operation, whoever wrote it.
    pub fn named(name: &'static str) -> Op {
        Op::find(name).unwrap_or(Op::Custom(name))
    }

    /// Returns the name without parameters.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Leaf => "leaf",
            Op::Constant => "constant",
            Op::Mul => "mul",
            Op::Add => "add",
            Op::Div => "div",
            Op::Scale(_) => "scale",
            Op::Shift(_) => "shift",
            Op::DivScalar(_) => "div_scalar",
            Op::RdivScalar(_) => "rdiv_scalar",
            Op::Pow(_) => "pow",
            Op::Exp => "exp",
            Op::Log => "log",
            Op::Relu => "relu",
            Op::Tanh => "tanh",
            Op::Sigmoid => "sigmoid",
            Op::Gelu => "gelu",
            Op::Sin => "sin",
            Op::Cos => "cos",
            Op::Erf => "erf",
            Op::Log1p => "log1p",
            Op::PowTensor => "pow_tensor",
            Op::Maximum => "maximum",
            Op::Floor => "floor",
            Op::Round => "round",
            Op::Sign => "sign",
            Op::Sum(..) => "sum",
            Op::Max(..) => "max",
            Op::MaxShare(_) => "max_share",
            Op::Matmul => "matmul",
            Op::Contract(..) => "contract",
            Op::Conv2d(..) => "conv2d",
            Op::Reshape(_) => "reshape",
            Op::Permute(_) => "permute",
            Op::Softmax => "softmax",
            Op::LogSoftmax => "log_softmax",
            Op::LayerNorm(_) => "layer_norm",
            Op::Pick(_) => "pick",
            Op::Expand(_) => "expand",
            Op::Slice(_) => "slice",
            Op::SliceAssign(_) => "slice_assign",
            Op::Flip(_) => "flip",
            Op::Cat(_) => "cat",
            Op::WhereCond => "where_cond",
            Op::IndexSelect(..) => "index_select",
            Op::IndexAdd(..) => "index_add",
            Op::Windows(..) => "windows",
            Op::Fold(..) => "fold",
            Op::To(_) => "to",
            Op::Custom(name) => name,
        }
    }

    /// Writes the parameters as a call does after an operand of `rank` axes,
    /// if any; a reduction over all axes needs none.
    pub fn parameters(&self, rank: usize) -> String {
        match self {
            Op::Scale(number)
            | Op::Shift(number)
            | Op::DivScalar(number)
            | Op::RdivScalar(number)
            | Op::Pow(number) => number.to_string(),
            Op::LayerNorm(epsilon) => epsilon.to_string(),
            Op::Reshape(shape) | Op::Expand(shape) => format!("{shape:?}"),
            Op::Sum(axes, _) | Op::Max(axes, _) if axes.len() == rank => {
                String::new()
            }
            Op::Sum(axes, _)
            | Op::Max(axes, _)
            | Op::MaxShare(axes)
            | Op::Permute(axes)
            | Op::Flip(axes) => {
                format!("axes {axes:?}")
            }
            Op::Slice(spans) => format!("{spans:?}"),
            Op::Cat(axis) => format!("axis {axis}"),
            Op::Windows(window)
            | Op::Fold(window, _)
            | Op::Conv2d(window, _) => window.to_string(),
            Op::To(device) => device.clone(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq<&str> for Op {
    fn eq(&self, name: &&str) -> bool {
        self.name() == *name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reduction_says_its_axes_unless_they_are_all() {
        for op in [Op::Sum(vec![0, 1], Keep::No), Op::Max(vec![0, 1], Keep::No)]
        {
            assert_eq!(op.parameters(2), "");
            assert_eq!(op.parameters(3), "axes [0, 1]");
        }
    }
}
