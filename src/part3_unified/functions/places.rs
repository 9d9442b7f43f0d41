//! Elements by their places: rows that are named, windows that overlap, and
//! parts that are joined. Each has its mirror.

use super::super::{Array, Context, Function, Tensor, Window};
use crate::error::Error;
use crate::ops::Op;

/// The rows of a matrix that are named. A row gets the sum of what its
/// copies got.
pub struct Gather {
    /// The numbers of the rows.
    pub places: Vec<usize>,
    /// How many rows there are to choose from.
    pub rows: usize,
}

impl Function for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn op(&self) -> Op {
        Op::Gather(self.places.clone())
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].gather(&self.places)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.scatter(&self.places, self.rows))]
    }
}

/// Each row added to its place: the mirror of [`Gather`].
pub struct Scatter {
    /// The numbers of the rows.
    pub places: Vec<usize>,
    /// How many rows there are to choose from.
    pub rows: usize,
}

impl Function for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn op(&self) -> Op {
        Op::Scatter(self.places.clone(), self.rows)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].scatter(&self.places, self.rows)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.gather(&self.places))]
    }
}

/// Each place of a window: (.., h, w) -> (.., rows, columns, height, width).
/// An element gets the sum of what its copies got.
pub struct Windows {
    /// The window.
    pub window: Window,
    /// The height and the width of an image.
    pub image: [usize; 2],
}

impl Function for Windows {
    fn name(&self) -> &'static str {
        "windows"
    }

    fn op(&self) -> Op {
        Op::Windows(self.window.size, self.window.step)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].windows(&self.window)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.fold(&self.window, self.image))]
    }
}

/// Windows added up to images: the mirror of [`Windows`].
pub struct Fold {
    /// The window.
    pub window: Window,
    /// The height and the width of an image.
    pub image: [usize; 2],
}

impl Function for Fold {
    fn name(&self) -> &'static str {
        "fold"
    }

    fn op(&self) -> Op {
        Op::Fold(self.window.size, self.window.step, self.image)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        inputs[0].fold(&self.window, self.image)
    }

    fn backward(
        &self,
        _ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![Some(grad_out.windows(&self.window))]
    }
}

/// One operand after another along an axis; each gets its part of the
/// gradient.
pub struct Cat {
    /// The axis.
    pub axis: usize,
    /// How long each operand is there.
    pub sizes: Vec<usize>,
}

impl Function for Cat {
    fn name(&self) -> &'static str {
        "cat"
    }

    fn op(&self) -> Op {
        Op::Cat(self.axis)
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        Array::cat(inputs, self.axis)
    }

    fn backward(
        &self,
        ctx: &Context,
        grad_out: &Tensor,
    ) -> Vec<Option<Tensor>> {
        let mut from = 0;
        let part = |(i, &size): (usize, &usize)| {
            let whole = grad_out.shape().iter().map(|&n| 0..n);
            let mut part: Vec<_> = whole.collect();
            part[self.axis] = from..from + size;
            from += size;
            ctx.needs(i).then(|| grad_out.slice(&part))
        };
        self.sizes.iter().enumerate().map(part).collect()
    }
}
