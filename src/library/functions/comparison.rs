//! Comparisons and operations based on them: selection by a mask, elementwise
//! maximum and minimum, and triangular matrices.

use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;
use crate::part3_unified::apply;
use crate::part3_unified::functions::broadcast_operands;
use crate::part3_unified::{
    Array, Binary, Context, Function, Gradients, Tensor,
};

// A comparison is piecewise constant, so its derivative is 0 and its result is
// not recorded.
impl Tensor {
    /// Returns 1 where `self < other`, and 0 elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.lt(&b).to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "less")]
    #[track_caller]
    pub fn lt(&self, other: &Tensor) -> Tensor {
        self.compare("lt", other, |a, b| a.binary(Binary::Lt, b))
    }

    /// Returns 1 where `self <= other`, and 0 elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.le(&b).to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "less_equal")]
    #[track_caller]
    pub fn le(&self, other: &Tensor) -> Tensor {
        self.compare("le", other, |a, b| a.binary(Binary::Le, b))
    }

    /// Returns 1 where `self == other`, and 0 elsewhere. NaN is not equal to
    /// anything.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.eq(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "equal")]
    #[track_caller]
    pub fn eq(&self, other: &Tensor) -> Tensor {
        self.compare("eq", other, |a, b| a.binary(Binary::Eq, b))
    }

    /// Returns 1 where `self > other`, and 0 elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.gt(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "greater")]
    #[track_caller]
    pub fn gt(&self, other: &Tensor) -> Tensor {
        self.compare("gt", other, |a, b| b.binary(Binary::Lt, a))
    }

    /// Returns 1 where `self >= other`, and 0 elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.ge(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "greater_equal")]
    #[track_caller]
    pub fn ge(&self, other: &Tensor) -> Tensor {
        self.compare("ge", other, |a, b| b.binary(Binary::Le, a))
    }

    #[track_caller]
    fn compare(
        &self,
        name: &str,
        other: &Tensor,
        run: fn(&Array, &Array) -> Result<Array>,
    ) -> Tensor {
        let operands = [self.detach(), other.detach()];
        let [a, b] = broadcast_operands(name, operands.each_ref());
        Tensor::from(or_raise(run(a.array(), b.array())))
    }

    /// Selects elements by mask: from `a` where this tensor is nonzero, from
    /// `b` where it is 0. The shapes broadcast.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let mask = Tensor::new(&[2], &[1.0, 0.0], Device::Cpu)?;
    /// let (a, b) = (mask.full_like(5.0), mask.full_like(7.0));
    /// assert_eq!(mask.where_cond(&a, &b).to_vec()?, [5.0, 7.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "where")]
    #[track_caller]
    pub fn where_cond(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let [mask, a, b] = broadcast_operands("where_cond", [self, a, b]);
        apply(WhereCond, &[&mask, &a, &b])
    }
}

/// A selection by mask. The first operand is the mask, whose gradient is 0.
pub struct WhereCond;

impl Function for WhereCond {
    fn op(&self) -> Op {
        Op::WhereCond
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].where_cond(inputs[1], inputs[2])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (mask, zeros) = (ctx.input(0).detach(), grad_out.zeros_like());
        vec![
            ctx.needs(0).then(|| zeros.clone()),
            ctx.needs(1).then(|| mask.where_cond(grad_out, &zeros)),
            ctx.needs(2).then(|| mask.where_cond(&zeros, grad_out)),
        ]
    }
}

impl Tensor {
    /// Returns the larger element of each pair; the shapes broadcast. Equal
    /// elements get half of the gradient each. If either element is NaN, so is
    /// the result.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 5.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[4.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.maximum(&b).to_vec()?, [4.0, 5.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[track_caller]
    pub fn maximum(&self, other: &Tensor) -> Tensor {
        let [a, b] = broadcast_operands("maximum", [self, other]);
        apply(Maximum, &[&a, &b])
    }
}

/// The elementwise maximum of two tensors of the same shape. The gradient goes
/// to the larger element, and is split equally between equal elements.
pub struct Maximum;

impl Function for Maximum {
    fn op(&self) -> Op {
        Op::Maximum
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let [a, b] = [inputs[0], inputs[1]];
        ctx.save_input(0, a);
        ctx.save_input(1, b);
        let larger = a.binary(Binary::Lt, b)?.where_cond(b, a)?;
        // `b == b` is false only for NaN; keep NaN from `b` too.
        b.binary(Binary::Eq, b)?.where_cond(&larger, b)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, b) = (ctx.input(0), ctx.input(1));
        let zeros = grad_out.zeros_like();
        let half = a.eq(&b).where_cond(&grad_out.scale(0.5), grad_out);
        vec![
            ctx.needs(0).then(|| a.lt(&b).where_cond(&zeros, &half)),
            ctx.needs(1).then(|| b.lt(&a).where_cond(&zeros, &half)),
        ]
    }
}

impl Tensor {
    /// Returns the smaller element of each pair; the shapes broadcast. Equal
    /// elements and NaN are handled as in [`Tensor::maximum`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 5.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[4.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.minimum(&b).to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[track_caller]
    pub fn minimum(&self, other: &Tensor) -> Tensor {
        // Broadcast here, so that error messages say `minimum` instead of
        // `maximum`.
        let [a, b] = broadcast_operands("minimum", [self, other]);
        a.neg().maximum(&b.neg()).neg()
    }

    /// Limits each element to the range from `low` to `high`. The derivative
    /// is 1 inside the range, including both ends, and 0 outside. PyTorch's
    /// derivative at the ends was 1 until version 2.15 changed it to 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[-2.0, 0.5, 9.0], Device::Cpu)?;
    /// assert_eq!(x.clamp(-1.0, 1.0).to_vec()?, [-1.0, 0.5, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `low` is above `high`, or one of them is NaN.
    #[doc(alias = "clip")]
    #[track_caller]
    pub fn clamp(&self, low: impl Into<f64>, high: impl Into<f64>) -> Tensor {
        let (low, high) = (low.into(), high.into());
        if low.is_nan() || high.is_nan() || low > high {
            mistake(format!(
                "clamp: nothing lies between {low} and {high}; give the lower \
                 end first, and numbers for both"
            ));
        }
        let x = self.detach();
        let (low, high) = (x.full_like(low), x.full_like(high));
        let inside = x.ge(&low).mul(&x.le(&high));
        inside.where_cond(self, &x.maximum(&low).minimum(&high))
    }
}

// A triangular mask compares a column of row numbers with a row of column
// numbers, so that only two short vectors are uploaded, however large the
// matrix is.
impl Tensor {
    /// Returns the lower triangle of each matrix of the last two axes, up to
    /// the `diagonal`-th diagonal above the main one; the rest is 0. Attention
    /// uses it to hide later positions.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// assert_eq!(x.tril(0).to_vec()?, [1., 0., 3., 4.]);
    /// assert_eq!(x.tril(-1).to_vec()?, [0., 0., 3., 0.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    #[track_caller]
    pub fn tril(&self, diagonal: isize) -> Tensor {
        let [rows, columns] = self.diagonal_and_columns("tril", diagonal);
        self.masked_by(&columns.le(&rows))
    }

    /// Returns the upper triangle of each matrix of the last two axes, from
    /// the `diagonal`-th diagonal above the main one; the rest is 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu)?;
    /// assert_eq!(x.triu(0).to_vec()?, [1., 2., 0., 4.]);
    /// assert_eq!(x.triu(1).to_vec()?, [0., 2., 0., 0.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    #[track_caller]
    pub fn triu(&self, diagonal: isize) -> Tensor {
        let [rows, columns] = self.diagonal_and_columns("triu", diagonal);
        self.masked_by(&columns.ge(&rows))
    }

    /// Replaces elements by 0 where an `f32` mask is 0.
    #[track_caller]
    fn masked_by(&self, mask: &Tensor) -> Tensor {
        let mask = or_raise(mask.to_dtype(self.dtype()));
        mask.where_cond(self, &self.zeros_like())
    }

    /// Returns the column in which the diagonal crosses each row (rows, 1),
    /// and the column numbers (columns). `f32` represents integers up to 2^24
    /// exactly.
    #[track_caller]
    fn diagonal_and_columns(&self, op: &str, diagonal: isize) -> [Tensor; 2] {
        let [.., m, n] = *self.shape() else {
            mistake(format!(
                "{op}: shape {:?} has no matrices; reshape it to two axes or \
                 more",
                self.shape()
            ))
        };
        let count = |n: usize, from: isize| -> Vec<f32> {
            (0..n).map(|i| from.saturating_add_unsigned(i) as f32).collect()
        };
        let new = |shape: &[usize], values: &[f32]| {
            or_raise(Tensor::new(shape, values, self.device()))
        };
        [new(&[m, 1], &count(m, diagonal)), new(&[n], &count(n, 0))]
    }
}
