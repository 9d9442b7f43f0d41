//! Pooling layers.

use std::fmt;

use super::{Module, Parameters, parameters};
use crate::part3_unified::{Tensor, Window};

/// Implements pooling layers; each applies a method of [`Tensor`] to a window.
macro_rules! pools {
    ($($(#[$doc:meta])* $pool:ident :: $method:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $pool {
            /// The size and the steps of the window.
            pub window: Window,
        }

        impl $pool {
            /// Creates a pooling layer whose stride equals the window size, as
            /// in PyTorch. For other strides, set the field directly.
            pub fn new(size: [usize; 2]) -> $pool {
                $pool { window: Window::new(size).stride(size) }
            }
        }

        impl Module for $pool {
            /// Computes (n, channels, h, w) -> (n, channels, rows, columns).
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                x.$method(&self.window)
            }
        }

        impl Parameters for $pool {
            parameters!();

            fn name(&self) -> String {
                format!("{} {:?}", stringify!($pool), self.window.size)
            }
        }

        impl fmt::Debug for $pool {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.name())
            }
        }
    )*};
}

pools! {
    /// Max pooling: [`Tensor::max_pool2d`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// # use rungrad::nn::{MaxPool2d, Module};
    /// let x = Tensor::rand(&[1, 3, 8, 8], 0, Device::Cpu)?;
    /// assert_eq!(MaxPool2d::new([2, 2]).forward(&x).shape(), [1, 3, 4, 4]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    MaxPool2d::max_pool2d;
    /// Average pooling: [`Tensor::avg_pool2d`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor, Window};
    /// # use rungrad::nn::{AvgPool2d, Module};
    /// let x = Tensor::rand(&[1, 3, 8, 8], 0, Device::Cpu)?;
    /// let window = Window::new([3, 3]).padding([1, 1]);
    /// assert_eq!(AvgPool2d { window }.forward(&x).shape(), [1, 3, 8, 8]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    AvgPool2d::avg_pool2d;
}
