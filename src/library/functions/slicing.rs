//! Slicing, assigning to slices, padding and concatenation. The gradients are
//! made of the same operations.

use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;
use crate::part3_unified::apply;
use crate::part3_unified::{
    Array, Axis, Context, Function, Gradients, Span, Spans, Tensor,
};

impl Tensor {
    /// Selects a range of each axis. Trailing axes without a range stay whole.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::Span;
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.slice(&[0..2, 1..2]).to_vec()?, [2., 5.]);
    /// assert_eq!(x.slice((1.., ..2)).to_vec()?, [4., 5.]);
    /// let ends = Span::from(..).step(2);
    /// assert_eq!(x.slice((.., ends)).to_vec()?, [1., 3., 4., 6.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a range exceeds its axis, or there are more ranges than axes.
    #[track_caller]
    #[doc(alias = "narrow")]
    pub fn slice(&self, spans: impl Spans) -> Tensor {
        let spans = checks::slice("slice", self.shape(), spans.spans());
        apply(Slice(or_raise(spans)), &[self])
    }
}

// ANCHOR: slice
/// A range of each axis. Elements outside get a gradient of 0.
pub struct Slice(pub Vec<Span>);

impl Function for Slice {
    fn op(&self) -> Op {
        Op::Slice(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].slice(&self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let zeros = zeros(ctx.shape(0), grad_out);
        vec![Some(zeros.slice_assign(&self.0, grad_out))]
    }
}
// ANCHOR_END: slice

impl Tensor {
    /// Returns a copy of the tensor with part of it replaced by `values`,
    /// which broadcast to the part's shape.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// let column = Tensor::new(&[2, 1], &[8., 9.], Device::Cpu)?;
    /// assert_eq!(x.slice_assign((.., 1..), &column).to_vec()?, [1., 8., 3., 9.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a range exceeds its axis, if the values do not broadcast to the
    /// part, or if they are on another device.
    #[track_caller]
    #[doc(alias = "slice_scatter")]
    #[doc(alias = "copy_slice")]
    pub fn slice_assign(&self, spans: impl Spans, values: &Tensor) -> Tensor {
        let spans = checks::slice("slice_assign", self.shape(), spans.spans());
        let spans = or_raise(spans);
        let sizes = spans.iter().zip(self.shape());
        let part = sizes.map(|(span, &size)| span.indices(size).len());
        let part: Vec<usize> = part.collect();
        let stretched =
            or_raise(checks::broadcast("slice_assign", values.shape(), &part));
        if stretched != part {
            mistake(format!(
                "slice_assign: values of shape {:?} are too many for a part \
                 of shape {part:?}; make them fit",
                values.shape()
            ));
        }
        apply(SliceAssign(spans), &[self, &values.expand(&part)])
    }
}

// ANCHOR: slice-assign
/// The first operand with part of it replaced by the second. Replaced elements
/// get a gradient of 0; the second operand's gradient is `grad_out` in that
/// part.
pub struct SliceAssign(pub Vec<Span>);

impl Function for SliceAssign {
    fn op(&self) -> Op {
        Op::SliceAssign(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].slice_assign(&self.0, inputs[1])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let rest =
            || grad_out.slice_assign(&self.0, &zeros(ctx.shape(1), grad_out));
        vec![
            ctx.needs(0).then(rest),
            ctx.needs(1).then(|| grad_out.slice(&self.0)),
        ]
    }
}
// ANCHOR_END: slice-assign

/// Returns zeros of the given shape, with the type and device of another
/// tensor.
#[track_caller]
fn zeros(shape: &[usize], beside: &Tensor) -> Tensor {
    Tensor::from(or_raise(beside.array().full_here(shape, 0.0)))
}

impl Tensor {
    /// Pads each axis with zeros; `widths` are the numbers of elements before
    /// and after.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(x.pad(&[[1, 2]]).to_vec()?, [0., 1., 2., 0., 0.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one pair of widths for each axis.
    #[track_caller]
    #[doc(alias = "constant_pad_nd")]
    pub fn pad(&self, widths: &[[usize; 2]]) -> Tensor {
        self.pad_with(widths, 0.0)
    }

    /// Pads each axis with a constant; `widths` are the numbers of elements
    /// before and after.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[1], &[1.], Device::Cpu)?;
    /// assert_eq!(x.pad_with(&[[1, 1]], 9.).to_vec()?, [9., 1., 9.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is not one pair of widths for each axis.
    #[track_caller]
    #[doc(alias = "constant_pad_nd")]
    pub fn pad_with(
        &self,
        widths: &[[usize; 2]],
        number: impl Into<f64>,
    ) -> Tensor {
        let padded = checks::pad(self.shape(), widths);
        let (shape, inner) = or_raise(padded);
        let around = self.array().full_here(&shape, number.into());
        Tensor::from(or_raise(around)).slice_assign(&inner, self)
    }
}

impl Tensor {
    /// Concatenates tensors along an existing axis.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 1], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(Tensor::cat(&[&x, &x], 1).to_vec()?, [1., 1., 2., 2.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `parts` is empty, the axis does not exist, or the other sizes or
    /// the devices differ.
    #[track_caller]
    #[doc(alias = "concat")]
    #[doc(alias = "concatenate")]
    pub fn cat(parts: &[&Tensor], axis: impl Axis) -> Tensor {
        let shape = parts.first().map_or(&[][..], |first| first.shape());
        let axis = match parts.is_empty() {
            // `Array::cat` rejects an empty list.
            true => 0,
            false => or_raise(checks::axis("cat", shape, axis)),
        };
        apply(Cat(axis), parts)
    }

    /// Stacks tensors of the same shape along a new axis at position `axis`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let [x, y] = [[1., 2.], [3., 4.]].map(|row| Tensor::new(&[2], &row, Device::Cpu));
    /// let (x, y) = (x?, y?);
    /// assert_eq!(Tensor::stack(&[&x, &y], 0).to_vec()?, [1., 2., 3., 4.]);
    /// assert_eq!(Tensor::stack(&[&x, &y], 1).to_vec()?, [1., 3., 2., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `parts` is empty, `axis` is larger than their number of axes, or
    /// their shapes or devices differ.
    #[track_caller]
    pub fn stack(parts: &[&Tensor], axis: impl Axis) -> Tensor {
        if let [first, others @ ..] = parts {
            for other in others {
                let shapes = (first.shape(), other.shape());
                or_raise(checks::same_shape("stack", shapes.0, shapes.1));
            }
        }
        let mut apart = Vec::new();
        for part in parts {
            apart.push(part.unsqueeze(axis));
        }
        Tensor::cat(&apart.iter().collect::<Vec<_>>(), axis)
    }
}

/// A concatenation along an axis. The gradient of each operand is the
/// corresponding slice of `grad_out`.
pub struct Cat(pub usize);

impl Function for Cat {
    fn op(&self) -> Op {
        Op::Cat(self.0)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Array::cat(inputs, self.0)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let mut from = 0;
        let part = |i| {
            let mut part = vec![Span::from(..); grad_out.shape().len()];
            let to = from + ctx.shape(i)[self.0];
            part[self.0] = (from..to).into();
            from = to;
            ctx.needs(i).then(|| grad_out.slice(&part))
        };
        (0..ctx.input_count()).map(part).collect()
    }
}
