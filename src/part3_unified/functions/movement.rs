//! The same elements elsewhere: in another order, repeated, cut out, padded,
//! or on another device. On one device most of them move nothing.

use std::ops::Range;

use super::super::{Array, Context, Device, Function, Tensor};
use crate::error::{Error, or_raise};
use crate::ops::Op;

/// The same elements in row-major order under another shape; the gradient
/// gets the old one back.
pub struct Reshape {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn op(&self) -> Op {
        Op::Reshape(self.shape.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].reshape(&self.shape)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.reshape(&self.from))]
    }
}

/// The axes in another order; the gradient's are put back.
pub struct Permute {
    /// Axis `i` of the result is `axes[i]` of the operand.
    pub axes: Vec<usize>,
}

impl Function for Permute {
    fn name(&self) -> &'static str {
        "permute"
    }

    fn op(&self) -> Op {
        Op::Permute(self.axes.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].permute(&self.axes)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let mut back = vec![0; self.axes.len()];
        for (to, &from) in self.axes.iter().enumerate() {
            back[from] = to;
        }
        vec![Some(grad_out.permute(&back))]
    }
}

// ANCHOR: expand
/// The operand repeated to a larger shape. Its gradient is the mirror:
/// `grad_out`, summed over what was repeated.
pub struct Expand {
    /// The shape of the result.
    pub shape: Vec<usize>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn op(&self) -> Op {
        Op::Expand(self.shape.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].expand(&self.shape)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.sum_to(&self.from))]
    }
}
// ANCHOR_END: expand

// ANCHOR: slice
/// A part of each axis. What was left out gets no gradient: zeros.
pub struct Slice {
    /// The part of each axis.
    pub ranges: Vec<Range<usize>>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn op(&self) -> Op {
        Op::Slice(self.ranges.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].slice(&self.ranges)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let axes = self.ranges.iter().zip(&self.from);
        let widths = axes.map(|(r, n)| [r.start, n - r.end]);
        vec![Some(grad_out.pad(&widths.collect::<Vec<_>>()))]
    }
}
// ANCHOR_END: slice

/// Zeros around. What was added takes its gradient with it.
pub struct Pad {
    /// How many before and behind, for each axis.
    pub widths: Vec<[usize; 2]>,
    /// The shape of the operand, to go back to.
    pub from: Vec<usize>,
}

impl Function for Pad {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn op(&self) -> Op {
        Op::Pad(self.widths.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].pad(&self.widths)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let axes = self.widths.iter().zip(&self.from);
        let inner = axes.map(|(width, n)| width[0]..width[0] + n);
        vec![Some(grad_out.slice(&inner.collect::<Vec<_>>()))]
    }
}

/// Some axes backwards, and the gradient's too.
pub struct Flip {
    /// The axes.
    pub axes: Vec<usize>,
}

impl Function for Flip {
    fn name(&self) -> &'static str {
        "flip"
    }

    fn op(&self) -> Op {
        Op::Flip(self.axes.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].flip(&self.axes)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.flip(&self.axes))]
    }
}

// ANCHOR: move
/// A copy on another device. Its gradient travels back.
pub struct Move {
    /// The device of the result.
    pub to: Device,
    /// The device of the operand.
    pub from: Device,
}

impl Function for Move {
    fn name(&self) -> &'static str {
        "to"
    }

    fn op(&self) -> Op {
        Op::To(self.to.to_string())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].to(self.to)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(or_raise(grad_out.to(self.from)))]
    }
}
// ANCHOR_END: move
