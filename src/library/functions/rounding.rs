//! Rounding and signs. These functions are piecewise constant, so their
//! gradient is 0.

use crate::error::Result;
use crate::ops::Op;
use crate::part3_unified::{Array, Context, Function, Gradients, Tensor};
use crate::part3_unified::{Unary, apply};

/// Implements a function whose derivative is 0.
macro_rules! flat {
    ($name:ident, $what:literal) => {
        #[doc = concat!($what, ": the slope is 0.")]
        pub struct $name;

        impl Function for $name {
            fn op(&self) -> Op {
                Op::Unary(Unary::$name)
            }

            fn forward(
                &self,
                _: &mut Context,
                inputs: &[&Array],
            ) -> Result<Array> {
                inputs[0].unary(Unary::$name)
            }

            fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
                vec![Some(grad_out.zeros_like())]
            }
        }
    };
}

flat!(Floor, "The largest whole number that is not above an element");
flat!(Round, "The nearest whole number");
flat!(Sign, "1, 0 or -1, as an element lies to 0");

impl Tensor {
    /// Rounds each element down to an integer.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.5, -1.5, 2.0], Device::Cpu)?;
    /// assert_eq!(x.floor().to_vec()?, [1.0, -2.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn floor(&self) -> Tensor {
        apply(Floor, &[self])
    }

    /// Rounds each element up to an integer.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[1.5, -1.5, 2.0], Device::Cpu)?;
    /// assert_eq!(x.ceil().to_vec()?, [2.0, -1.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn ceil(&self) -> Tensor {
        self.neg().floor().neg()
    }

    /// Rounds each element to the nearest integer, and half-way cases to the
    /// even one, as PyTorch does.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[4], &[0.5, 1.5, 2.5, -0.7], Device::Cpu)?;
    /// assert_eq!(x.round().to_vec()?, [0.0, 2.0, 2.0, -1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn round(&self) -> Tensor {
        apply(Round, &[self])
    }

    /// Returns the sign of each element: 1, -1, or 0 for 0 and NaN.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[2.5, -0.1, 0.0], Device::Cpu)?;
    /// assert_eq!(x.sign().to_vec()?, [1.0, -1.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "signum")]
    #[track_caller]
    pub fn sign(&self) -> Tensor {
        apply(Sign, &[self])
    }
}
