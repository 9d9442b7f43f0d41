//! The operations: their names and order, once, for every part, and what a
//! tape says of one.
//!
//! Part 1 has this list, Part 2 a subsequence of it, and Part 3 begins with
//! it; `tests/architecture.rs` holds the files to that order.

use std::fmt;
use std::ops::Range;

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
    /// A quotient over a number: `x / 2`.
    Over(f32),
    /// A quotient under a number: `2 / x`.
    Under(f32),
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
    /// The sine, of an angle in radians.
    Sin,
    /// The cosine, of an angle in radians.
    Cos,
    /// The sum over these axes, which stay with size 1 when kept.
    Sum(Vec<usize>, Keep),
    /// The largest over these axes.
    Max(Vec<usize>, Keep),
    /// The product of two matrices.
    Matmul,
    /// The same elements in another shape.
    Reshape(Vec<usize>),
    /// The axes in another order.
    Permute(Vec<usize>),
    /// The logarithm of softmax along the last axis.
    LogSoftmax,
    /// From each row the element that a label names.
    Pick(Vec<usize>),
    /// The elements repeated to a larger shape.
    Expand(Vec<usize>),
    /// A part of each axis.
    Slice(Vec<Range<usize>>),
    /// Zeros around: how many before and behind, for each axis.
    Pad(Vec<[usize; 2]>),
    /// Some axes backwards.
    Flip(Vec<usize>),
    /// One operand after another along an axis.
    Cat(usize),
    /// Where the first operand is not 0 the second, else the third.
    Where,
    /// The rows of a matrix at these places.
    Gather(Vec<usize>),
    /// Each row of a matrix added to its place among so many.
    Scatter(Vec<usize>, usize),
    /// Windows of a size, a step apart, over the last two axes.
    Windows([usize; 2], [usize; 2]),
    /// Windows of a size, a step apart, added up to images.
    Fold([usize; 2], [usize; 2], [usize; 2]),
    /// A copy on another device.
    To(String),
    /// An operation of a reader's own.
    Own(&'static str),
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
    /// One of ours that takes no parameters, by its name.
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
            Op::Sin,
            Op::Cos,
            Op::Matmul,
            Op::LogSoftmax,
        ];
        plain.into_iter().find(|op| op.name() == name)
    }

    /// What a reader's own rule stands for: under a name of ours, an
    /// operation that the judge knows.
    pub fn named(name: &'static str) -> Op {
        Op::find(name).unwrap_or(Op::Own(name))
    }

    /// The name without parameters.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Leaf => "leaf",
            Op::Constant => "constant",
            Op::Mul => "mul",
            Op::Add => "add",
            Op::Div => "div",
            Op::Scale(_) => "scale",
            Op::Shift(_) => "shift",
            Op::Over(_) => "over",
            Op::Under(_) => "under",
            Op::Pow(_) => "pow",
            Op::Exp => "exp",
            Op::Log => "log",
            Op::Relu => "relu",
            Op::Tanh => "tanh",
            Op::Sigmoid => "sigmoid",
            Op::Sin => "sin",
            Op::Cos => "cos",
            Op::Sum(..) => "sum",
            Op::Max(..) => "max",
            Op::Matmul => "matmul",
            Op::Reshape(_) => "reshape",
            Op::Permute(_) => "permute",
            Op::LogSoftmax => "log_softmax",
            Op::Pick(_) => "pick",
            Op::Expand(_) => "expand",
            Op::Slice(_) => "slice",
            Op::Pad(_) => "pad",
            Op::Flip(_) => "flip",
            Op::Cat(_) => "cat",
            Op::Where => "where",
            Op::Gather(_) => "gather",
            Op::Scatter(..) => "scatter",
            Op::Windows(..) => "windows",
            Op::Fold(..) => "fold",
            Op::To(_) => "to",
            Op::Own(name) => name,
        }
    }

    /// The parameters as a call writes them after an operand of `rank` axes,
    /// if any; a reduction over all axes needs none.
    pub fn parameters(&self, rank: usize) -> String {
        match self {
            Op::Scale(number)
            | Op::Shift(number)
            | Op::Over(number)
            | Op::Under(number)
            | Op::Pow(number) => number.to_string(),
            Op::Reshape(shape) | Op::Expand(shape) => format!("{shape:?}"),
            Op::Sum(axes, _) | Op::Max(axes, _) if axes.len() == rank => {
                String::new()
            }
            Op::Sum(axes, _)
            | Op::Max(axes, _)
            | Op::Permute(axes)
            | Op::Flip(axes) => {
                format!("axes {axes:?}")
            }
            Op::Slice(ranges) => format!("{ranges:?}"),
            Op::Cat(axis) => format!("axis {axis}"),
            Op::Windows(size, step) | Op::Fold(size, step, _) => {
                format!("{size:?} by {step:?}")
            }
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

impl PartialEq<str> for Op {
    fn eq(&self, name: &str) -> bool {
        self.name() == name
    }
}

impl PartialEq<&str> for Op {
    fn eq(&self, name: &&str) -> bool {
        self.name() == *name
    }
}
