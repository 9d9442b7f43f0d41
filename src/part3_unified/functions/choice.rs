//! Comparisons, the choice that a mask makes, and the larger of two.

use super::super::apply;
use super::super::{Array, Binary, Context, Function, Gradients, Tensor};
use super::stretch;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;

// A comparison is 1 or 0, flat but for its jumps: it has no slope, and what
// it gives is a constant.
impl Tensor {
    /// 1 where this is less, else 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.less(&b).to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "lt")]
    #[track_caller]
    pub fn less(&self, other: &Tensor) -> Tensor {
        self.compare("less", other, |a, b| a.binary(Binary::Less, b))
    }

    /// 1 where this is not greater, else 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.at_most(&b).to_vec()?, [1.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "le")]
    #[track_caller]
    pub fn at_most(&self, other: &Tensor) -> Tensor {
        self.compare("at_most", other, |a, b| a.binary(Binary::AtMost, b))
    }

    /// 1 where both are equal, else 0. A NaN equals nothing.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.equal(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "eq")]
    #[track_caller]
    pub fn equal(&self, other: &Tensor) -> Tensor {
        self.compare("equal", other, |a, b| a.binary(Binary::Equal, b))
    }

    /// 1 where this is greater, else 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.greater(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "gt")]
    #[track_caller]
    pub fn greater(&self, other: &Tensor) -> Tensor {
        self.compare("greater", other, |a, b| b.binary(Binary::Less, a))
    }

    /// 1 where this is not less, else 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let a = Tensor::new(&[2], &[1.0, 3.0], Device::Cpu)?;
    /// let b = Tensor::new(&[2], &[2.0, 2.0], Device::Cpu)?;
    /// assert_eq!(a.at_least(&b).to_vec()?, [0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "ge")]
    #[track_caller]
    pub fn at_least(&self, other: &Tensor) -> Tensor {
        self.compare("at_least", other, |a, b| b.binary(Binary::AtMost, a))
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

    /// Where this is not 0 the elements of `a`, elsewhere those of `b`; the
    /// shapes broadcast.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let mask = Tensor::new(&[2], &[1.0, 0.0], Device::Cpu)?;
    /// let (a, b) = (mask.full_like(5.0), mask.full_like(7.0));
    /// assert_eq!(mask.choose(&a, &b).to_vec()?, [5.0, 7.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not broadcast, or the devices differ.
    #[doc(alias = "where")]
    #[track_caller]
    pub fn choose(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let [mask, a, b] = stretch("where", [self, a, b]);
        apply(Where, &[&mask, &a, &b])
    }
}

/// From each place the element of one operand or of the other. The mask, the
/// first operand, says which; it has no slope.
pub struct Where;

impl Function for Where {
    fn op(&self) -> Op {
        Op::Where
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        inputs[0].choose(inputs[1], inputs[2])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (mask, zeros) = (ctx.input(0).detach(), grad_out.zeros_like());
        vec![
            ctx.needs(0).then(|| zeros.clone()),
            ctx.needs(1).then(|| mask.choose(grad_out, &zeros)),
            ctx.needs(2).then(|| mask.choose(&zeros, grad_out)),
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
        let larger = a.binary(Binary::Less, b)?.choose(b, a)?;
        // A NaN equals nothing, not even itself.
        b.binary(Binary::Equal, b)?.choose(&larger, b)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (a, b) = (ctx.input(0), ctx.input(1));
        let zeros = grad_out.zeros_like();
        let half = a.equal(&b).choose(&grad_out.scale(0.5), grad_out);
        vec![
            ctx.needs(0).then(|| a.less(&b).choose(&zeros, &half)),
            ctx.needs(1).then(|| b.less(&a).choose(&zeros, &half)),
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

    /// Brings each element between two numbers. What lies there passes its
    /// gradient on; at the ends and beyond the slope is 0, as in PyTorch.
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
    pub fn clamp(&self, low: f32, high: f32) -> Tensor {
        if low.is_nan() || high.is_nan() || low > high {
            mistake(format!(
                "clamp: nothing lies between {low} and {high}; give the lower \
                 end first, and numbers for both"
            ));
        }
        let x = self.detach();
        let (low, high) = (x.full_like(low), x.full_like(high));
        let inside = x.greater(&low).mul(&x.less(&high));
        inside.choose(self, &x.maximum(&low).minimum(&high))
    }
}

// The mask of a triangle is a column of row numbers against a row of column
// numbers: two short lists, however large the matrix.
impl Tensor {
    /// Keeps the lower triangle of each matrix of the last two axes, up to
    /// the `diagonal`-th above the main one, and puts 0 elsewhere: who comes
    /// early must not look at who comes late.
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
        columns.at_most(&rows).choose(self, &self.zeros_like())
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
        columns.at_least(&rows).choose(self, &self.zeros_like())
    }

    /// For each row (rows, 1) the column in which a diagonal crosses it, and
    /// the numbers of the columns (columns). `f32` counts to 2^24.
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
