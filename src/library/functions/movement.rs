//! More operations that rearrange elements.

use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;
use crate::part3_unified::{
    Array, Axis, Context, Function, Gradients, Tensor, apply,
};

impl Tensor {
    /// Inserts a new axis of size 1 at position `axis`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.unsqueeze(1).shape(), [2, 1, 3]);
    /// assert_eq!(x.unsqueeze(2).shape(), [2, 3, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the result would not have this axis.
    #[track_caller]
    #[doc(alias = "expand_dims")]
    pub fn unsqueeze(&self, axis: impl Axis) -> Tensor {
        let Some(index) = axis.index(self.rank() + 1) else {
            mistake(format!(
                "unsqueeze: shape {:?} has {} axes, so a new one can have a \
                 number from 0 to {}, not {}",
                self.shape(),
                self.rank(),
                self.rank(),
                axis.number()
            ))
        };
        let mut shape = self.shape().to_vec();
        shape.insert(index, 1);
        self.reshape(&shape)
    }

    /// Removes an axis of size 1.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 1], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(x.squeeze(1).shape(), [2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the axis does not exist, or its size is not 1.
    #[track_caller]
    pub fn squeeze(&self, axis: impl Axis) -> Tensor {
        let axis = or_raise(checks::axis("squeeze", self.shape(), axis));
        let mut shape = self.shape().to_vec();
        match shape.remove(axis) {
            1 => self.reshape(&shape),
            size => mistake(format!(
                "squeeze: axis {axis} of shape {:?} has size {size}; only an \
                 axis of size 1 can be taken out",
                self.shape()
            )),
        }
    }

    /// Repeats the tensor `counts[i]` times along each axis `i`, and along new
    /// leading axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(x.repeat(&[2]).to_vec()?, [1., 2., 1., 2.]);
    /// assert_eq!(x.repeat(&[3, 1]).shape(), [3, 2]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are fewer counts than axes.
    #[track_caller]
    #[doc(alias = "tile")]
    pub fn repeat(&self, counts: &[usize]) -> Tensor {
        let Some(new) = counts.len().checked_sub(self.shape().len()) else {
            mistake(format!(
                "repeat: {} counts for shape {:?}; give each axis one",
                counts.len(),
                self.shape()
            ))
        };
        let mut sizes = vec![1; new];
        sizes.extend(self.shape());
        // Insert an axis for the copies before each axis.
        let pairs = || sizes.iter().zip(counts);
        let apart: Vec<usize> = pairs().flat_map(|(&n, _)| [1, n]).collect();
        let copies: Vec<usize> =
            pairs().flat_map(|(&n, &count)| [count, n]).collect();
        let whole = pairs().map(|(&n, &count)| n.saturating_mul(count));
        let whole: Vec<usize> = whole.collect();
        self.reshape(&apart).expand(&copies).reshape(&whole)
    }

    /// Reverses the order of the elements along the given axes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.flip(&[1]).to_vec()?, [3., 2., 1., 6., 5., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an axis does not exist or is named twice.
    #[track_caller]
    pub fn flip(&self, axes: &[impl Axis]) -> Tensor {
        let axes = or_raise(checks::axes("flip", self.shape(), axes));
        apply(Flip(axes.to_vec()), &[self])
    }
}

/// A reversal of some axes; the gradient is reversed too.
pub struct Flip(pub Vec<usize>);

impl Function for Flip {
    fn op(&self) -> Op {
        Op::Flip(self.0.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].flip(&self.0)
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.flip(&self.0))]
    }
}
