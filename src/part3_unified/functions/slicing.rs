//! Parts of a tensor: cut out, replaced, put together. Each has its mirror
//! among the others.

use super::super::apply;
use super::super::{Array, Context, Function, Gradients, Span, Spans, Tensor};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;

impl Tensor {
    /// Cuts out a part of each axis. Axes that are not named at the end stay
    /// whole.
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
    /// If a range does not lie in its axis, or there are more than axes.
    #[track_caller]
    #[doc(alias = "narrow")]
    pub fn slice(&self, spans: impl Spans) -> Tensor {
        let spans = checks::slice("slice", self.shape(), spans.spans());
        apply(Slice(or_raise(spans)), &[self])
    }
}

// ANCHOR: slice
/// A part of each axis. What was left out gets no gradient: zeros.
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
    /// Makes a new tensor that has other values in a part: this one stays as
    /// it is. The values stretch to the part.
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
    /// If a range does not lie in its axis, if the values do not stretch to
    /// the part, or if they are on another device.
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
/// The second operand in the place of a part of the first. What was replaced
/// gets no gradient, and what replaced it gets that of its place.
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

/// Makes zeros of a shape, where another tensor is.
#[track_caller]
fn zeros(shape: &[usize], beside: &Tensor) -> Tensor {
    Tensor::from(or_raise(beside.array.full_here(shape, 0.0)))
}

impl Tensor {
    /// Puts zeros around: so many before and behind along each axis.
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

    /// Puts a number around: so many before and behind along each axis.
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
        let around = self.array.full_here(&shape, number.into());
        Tensor::from(or_raise(around)).slice_assign(&inner, self)
    }
}

impl Tensor {
    /// Joins tensors, one after another along an axis.
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
    /// If there is none, if there is no such axis, or if their other sizes or
    /// their devices differ.
    #[track_caller]
    #[doc(alias = "concat")]
    #[doc(alias = "concatenate")]
    pub fn cat(parts: &[&Tensor], axis: usize) -> Tensor {
        apply(Cat(axis), parts)
    }

    /// Joins tensors of one shape along a new axis, which gets this number.
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
    /// If there is none, if they have fewer axes than this number, or if
    /// their shapes or devices differ.
    #[track_caller]
    pub fn stack(parts: &[&Tensor], axis: usize) -> Tensor {
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

/// One operand after another along an axis; each gets its part of the
/// gradient.
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
        (0..ctx.len()).map(part).collect()
    }
}
