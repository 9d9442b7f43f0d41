//! More operations: each is a method of [`Tensor`](crate::Tensor), next to the
//! [`Function`](crate::part3_unified::Function) that computes its gradient, if
//! it needs one. The operations that the chapters build first are in
//! [`part3_unified::functions`](crate::part3_unified::functions).

mod activations;
pub(crate) mod attention;
mod comparison;
mod convolution;
mod extremes;
mod image;
mod indexing;
mod loss;
mod movement;
mod normalization;
mod powers;
mod rearranging;
mod rounding;
mod scalars;
mod scatter;
mod slicing;
mod softmax;
mod sorting;
mod statistics;
mod trigonometry;
mod variance;

pub use activations::*;
pub use attention::SelfAttention;
pub use comparison::*;
pub use convolution::*;
pub use image::*;
pub use indexing::*;
pub use movement::*;
pub use normalization::LayerNorm;
pub use powers::*;
pub use rounding::*;
pub use scalars::*;
pub use slicing::*;
pub use softmax::*;
pub use trigonometry::*;
