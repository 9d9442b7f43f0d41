//! Comparisons, and what is made of them: choices by a mask, the larger of two,
//! triangles.

use super::super::apply;
use super::super::{Array, Binary, Context, Function, Gradients, Tensor};
use super::stretch;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;

// A comparison is 1 or 0, flat but for its jumps: it has no slope, and what
// it gives is a constant.
impl Tensor {
    /// Compares: 1 where this is less, else 0.
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

    /// Compares: 1 where this is not greater, else 0.
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

    /// Compares: 1 where both are equal, else 0. A NaN equals nothing.
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

    /// Compares: 1 where this is greater, else 0.
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

    /// Compares: 1 where this is not less, else 0.
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
        let [a, b] = stretch(name, operands.each_ref());
        Tensor::from(or_raise(run(&a.array, &b.array)))
    }

    /// Takes the elements of `a` where this is not 0, and those of `b` where
    /// it is; the shapes broadcast.
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
        let [mask, a, b] = stretch("where_cond", [self, a, b]);
        apply(WhereCond, &[&mask, &a, &b])
    }
}

/// From each place the element of one operand or of the other. The mask, the
/// first operand, says which; it has no slope.
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
    /// Takes the larger of each pair; the shapes broadcast. Of two equals each
    /// gets half of the gradient, and a NaN on either side passes.
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
        let [a, b] = stretch("maximum", [self, other]);
        apply(Maximum, &[&a, &b])
    }
}

/// The larger of two equal shapes. The gradient goes to what is not less, in
/// halves where both are equal.
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
        // A NaN equals nothing, not even itself.
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
    /// Takes the smaller of each pair; the shapes broadcast. Equals and NaN
    /// are as for [`Tensor::maximum`].
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
        // What is derived refuses under its own name.
        let [a, b] = stretch("minimum", [self, other]);
        a.neg().maximum(&b.neg()).neg()
    }

    /// Limits each element to the range from `low` to `high`. The derivative is
    /// 1 from end to end, both included, and 0 beyond them. PyTorch had 1 at the
    /// ends until it changed to 0 in version 2.15.
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
    /// If `low` is above `high`, or one of them is a NaN.
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

// The mask of a triangle is a column of row numbers against a row of column
// numbers: two short lists, however large the matrix.
impl Tensor {
    /// Keeps the lower triangle of each matrix of the last two axes, up to
    /// the `diagonal`-th above the main one, and puts 0 elsewhere. Attention
    /// hides with it from each element the later ones.
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
        let [rows, columns] = self.numbers("tril", diagonal);
        self.kept_by(&columns.le(&rows))
    }

    /// Keeps the upper triangle of each matrix of the last two axes, from
    /// the `diagonal`-th above the main one on, and puts 0 elsewhere.
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
        let [rows, columns] = self.numbers("triu", diagonal);
        self.kept_by(&columns.ge(&rows))
    }

    /// Puts 0 where a mask of `f32` is 0.
    #[track_caller]
    fn kept_by(&self, mask: &Tensor) -> Tensor {
        let mask = or_raise(mask.to_dtype(self.dtype()));
        mask.where_cond(self, &self.zeros_like())
    }

    /// Finds for each row (rows, 1) the column in which a diagonal crosses it,
    /// and the numbers of the columns (columns). `f32` counts to 2^24.
    #[track_caller]
    fn numbers(&self, op: &str, diagonal: isize) -> [Tensor; 2] {
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
