//! More operations: each is a method of [`Tensor`](crate::Tensor), next to the
//! [`Function`](crate::part3_unified::Function) that computes its gradient, if
//! it needs one. The operations that the chapters build first are in
//! [`part3_unified::functions`](crate::part3_unified::functions).
//!
//! Most operations have PyTorch's name. These have a different one, because
//! Rust has no optional arguments, or return indices as well:
//!
//! | PyTorch | method of `Tensor` |
//! |---|---|
//! | `x.max(dim)`, `x.min(dim)` | `max_with_indices`, `min_with_indices` |
//! | `x.amax(dim)`, `x.amin(dim)` | `max_over`, `min_over` |
//! | `x.argmax(dim)`, `x.argmin(dim)` | `argmax_over`, `argmin_over` |
//! | `x.sort(dim, descending=True)` | `sort_descending` |
//! | `x.transpose(a, b)`, `x.mT` | `swap_axes`, `transpose` |
//! | `x.flatten(1)` | `x.flatten(1..)` |
//! | `x.split([1, 2], dim)` | `split_sizes` |
//! | `x.narrow(dim, start, length)`, `x[:, 1:3]` | `slice` |
//! | `torch.where(mask, a, b)` | `where_cond` |
//! | `x.std(dim, correction=0)` | `std_with_correction` |
//! | `F.unfold`, `F.fold` | `windows`, `fold` |
//! | `F.interpolate(x, size, mode="bilinear")` | `interpolate_bilinear`, `interpolate_nearest` |
//! | `F.cross_entropy(x, y, weight, label_smoothing=0.1)` | `cross_entropy_with` |
//! | `F.binary_cross_entropy_with_logits(x, y)` | `bce_with_logits` |

mod activations;
pub(crate) mod attention;
mod classification;
mod comparison;
mod convolution;
mod convolution1d;
mod extremes;
mod group_norm;
mod image;
mod indexing;
mod loss;
mod movement;
mod normalization;
mod powers;
mod rearranging;
mod resampling;
mod rounding;
mod scalars;
mod scatter;
mod slicing;
mod softmax;
mod sorting;
mod statistics;
mod transposed_convolution;
mod trigonometry;
mod variance;

#[doc(hidden)]
pub use self::{
    activations::*, attention::SelfAttention, comparison::*, convolution::*,
    convolution1d::Conv1dOptions, image::*, indexing::*, movement::*,
    normalization::LayerNorm, powers::*, rounding::*, scalars::*, slicing::*,
    softmax::*, trigonometry::*,
};
