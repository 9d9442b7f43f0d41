//! The list of operations and [`Op`], the description of an operation on a
//! tape.
//!
//! Part 1 implements this list, Part 2 a subsequence of it, and Part 3 starts
//! with it. `tests/architecture.rs` checks that the files follow this order.

use std::fmt;

use crate::elementwise::{Binary, Unary};
use crate::shape::{Span, Window};

/// The names of the operations, in the order in which the book teaches them.
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

/// An operation that has a gradient rule, with its parameters. The other names
/// of `OPERATIONS` are composed from these.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A tensor that was not computed from other tensors.
    Leaf,
    /// A leaf that gets no gradient.
    Constant,
    /// The elementwise product, with broadcasting.
    Mul,
    /// The elementwise sum, with broadcasting.
    Add,
    /// The elementwise quotient, with broadcasting.
    Div,
    /// Multiplication by a constant.
    Scale(f32),
    /// Addition of a constant.
    Shift(f32),
    /// Division by a constant: `x / 2`.
    DivScalar(f32),
    /// Division of a constant: `2 / x`.
    RdivScalar(f32),
    /// A power with a constant exponent.
    Pow(f32),
    /// The exponential function.
    Exp,
    /// The natural logarithm.
    Log,
    /// `max(x, 0)`.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// The Gaussian error linear unit.
    Gelu,
    /// Any other elementwise operation with one operand.
    Unary(Unary),
    /// The first operand to the power of the second.
    PowTensor,
    /// The elementwise maximum of two operands.
    Maximum,
    /// The sum over these axes.
    Sum(Vec<usize>, Keep),
    /// The maximum over these axes.
    Max(Vec<usize>, Keep),
    /// The gradient of `Max` over these axes: it is split equally among tied
    /// maxima.
    MaxBackward(Vec<usize>),
    /// The matrix product.
    Matmul,
    /// A matrix product of views. The fields are the number of leading batch
    /// axes and the number of trailing axes that are summed over.
    Contract(usize, usize),
    /// A convolution of images with filters. The last field is the number of
    /// groups.
    Conv2d(Box<Window>, usize),
    /// The same elements in a different shape.
    Reshape(Vec<usize>),
    /// A reordering of the axes.
    Permute(Vec<usize>),
    /// Softmax along the last axis.
    Softmax,
    /// The logarithm of softmax along the last axis.
    LogSoftmax,
    /// Layer normalization with weight and bias. A row consists of the last
    /// axes, equal in number to the axes of the weight. The field is epsilon,
    /// which is added to the variance.
    LayerNorm(f64),
    /// The element of each row at the index given by its label.
    Pick(Vec<usize>),
    /// The elements broadcast to this shape.
    Expand(Vec<usize>),
    /// A range of each axis.
    Slice(Vec<Span>),
    /// The first operand with this slice replaced by the second operand.
    SliceAssign(Vec<Span>),
    /// The elements in reverse order along these axes.
    Flip(Vec<usize>),
    /// Concatenation along an axis.
    Cat(usize),
    /// The second operand where the first is not 0, otherwise the third.
    WhereCond,
    /// The elements at these indices along an axis.
    IndexSelect(usize, Vec<usize>),
    /// Adds each slice along an axis to the slice at its index in a result of
    /// zeros. The last field is the size of that axis in the result.
    IndexAdd(usize, Vec<usize>, usize),
    /// Sliding windows over the last two axes.
    Windows(Box<Window>),
    /// The sum of overlapping windows into images of this height and width;
    /// the transpose of `Windows`.
    Fold(Box<Window>, [usize; 2]),
    /// A copy to a different device.
    To(String),
    /// A custom operation.
    Custom(&'static str),
}

/// Whether a reduction keeps the reduced axes with size 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Keep them.
    Yes,
    /// Remove them.
    No,
}

impl Op {
    /// Returns the parameterless operation of this crate with this name, if
    /// there is one.
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
            Op::PowTensor,
            Op::Maximum,
            Op::Matmul,
            Op::Softmax,
            Op::LogSoftmax,
        ];
        let unary = Unary::ALL.iter().filter(|op| op.constant().is_none());
        let others = unary.map(|op| Op::Unary(*op));
        plain.into_iter().chain(others).find(|op| op.name() == name)
    }

    /// Returns the operation with this name, or else a custom one. A custom
    /// operation with the name of an operation of this crate is checked
    /// against the same reference.
    pub fn named(name: &'static str) -> Op {
        Op::find(name).unwrap_or(Op::Custom(name))
    }

    /// Returns the row of the table if it is an elementwise operation with one
    /// operand.
    pub fn unary(&self) -> Option<Unary> {
        Some(match self {
            Op::Scale(number) => Unary::Scale((*number).into()),
            Op::Shift(number) => Unary::Shift((*number).into()),
            Op::DivScalar(number) => Unary::DivScalar((*number).into()),
            Op::RdivScalar(number) => Unary::RdivScalar((*number).into()),
            Op::Pow(number) => Unary::Pow((*number).into()),
            Op::Exp => Unary::Exp,
            Op::Log => Unary::Log,
            Op::Relu => Unary::Relu,
            Op::Tanh => Unary::Tanh,
            Op::Sigmoid => Unary::Sigmoid,
            Op::Gelu => Unary::Gelu,
            Op::Unary(op) => *op,
            _ => return None,
        })
    }

    /// Returns the row of the table if it is an elementwise operation with two
    /// operands.
    pub fn binary(&self) -> Option<Binary> {
        Some(match self {
            Op::Mul => Binary::Mul,
            Op::Add => Binary::Add,
            Op::Div => Binary::Div,
            Op::PowTensor => Binary::Pow,
            _ => return None,
        })
    }

    /// Returns the name, without parameters.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Leaf => "leaf",
            Op::Constant => "constant",
            Op::Mul | Op::Add | Op::Div | Op::PowTensor => {
                self.binary().map_or("", Binary::name)
            }
            Op::Scale(_)
            | Op::Shift(_)
            | Op::DivScalar(_)
            | Op::RdivScalar(_)
            | Op::Pow(_)
            | Op::Exp
            | Op::Log
            | Op::Relu
            | Op::Tanh
            | Op::Sigmoid
            | Op::Gelu
            | Op::Unary(_) => self.unary().map_or("", Unary::name),
            Op::Maximum => "maximum",
            Op::Sum(..) => "sum",
            Op::Max(..) => "max",
            Op::MaxBackward(_) => "max_backward",
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

    /// Formats the parameters as in a call on an operand with `rank` axes. The
    /// result is empty if there are none or if a reduction is over all axes.
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
            | Op::MaxBackward(axes)
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
    fn partial_reductions_print_their_axes() {
        for op in [Op::Sum(vec![0, 1], Keep::No), Op::Max(vec![0, 1], Keep::No)]
        {
            assert_eq!(op.parameters(2), "");
            assert_eq!(op.parameters(3), "axes [0, 1]");
        }
    }
}
