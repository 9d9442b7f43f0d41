//! The multi-head attention layer and its key-value cache.

use std::fmt;

use super::{Linear, Module, Parameters, parameters};
use crate::error::mistake;
use crate::library::functions::attention::split_heads;
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// Multi-head self-attention with a causal mask: each position of a sequence
/// attends to itself and to earlier positions.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// use rungrad::nn::{Module, MultiHeadAttention};
/// # use rungrad::rng::Random;
/// let layer = MultiHeadAttention::new(8, 2, &mut Random::new(0));
/// let text = Tensor::rand(&[3, 5, 8], 1, Device::Cpu)?;
/// assert_eq!(layer.forward(&text).shape(), [3, 5, 8]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "CausalSelfAttention")]
#[derive(Clone)]
pub struct MultiHeadAttention {
    /// Computes queries, keys and values in one matmul: (width, 3 * width).
    pub qkv: Linear,
    /// The output projection: (width, width).
    pub out: Linear,
    /// The number of heads; each uses an equal part of the width.
    pub heads: usize,
}

// ANCHOR: attention
impl MultiHeadAttention {
    /// Creates a layer on the CPU, with weights initialized as in
    /// [`Linear::new`].
    ///
    /// # Panics
    ///
    /// If the width is not a multiple of the number of heads.
    #[track_caller]
    pub fn new(
        width: usize,
        heads: usize,
        random: &mut Random,
    ) -> MultiHeadAttention {
        if heads == 0 || !width.is_multiple_of(heads) {
            mistake(format!(
                "MultiHeadAttention: a width of {width} for {heads} heads; \
                 each takes an equal share, so the width must be a multiple"
            ));
        }
        let qkv = Linear::new(width, 3 * width, random);
        let out = Linear::new(width, width, random);
        MultiHeadAttention { qkv, out, heads }
    }
}

impl Module for MultiHeadAttention {
    /// Computes (n, places, width) -> (n, places, width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let seen = self.qkv.forward(x).self_attention(self.heads);
        self.out.forward(&seen)
    }
}

impl Parameters for MultiHeadAttention {
    parameters!(qkv, out);

    fn name(&self) -> String {
        let width = self.out.weight.shape()[0];
        format!("MultiHeadAttention [{width}, {} heads]", self.heads)
    }
}
// ANCHOR_END: attention

impl fmt::Debug for MultiHeadAttention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A key-value cache: the keys and values of the positions processed so far,
/// so that later positions can attend to them without recomputing them.
#[derive(Clone, Debug, Default)]
pub struct KeysValues {
    /// The keys and the values, each (n, heads, places, head width).
    seen: Option<[Tensor; 2]>,
}

impl KeysValues {
    /// Returns the number of positions in the cache.
    pub fn places(&self) -> usize {
        self.seen.as_ref().map_or(0, |[keys, _]| keys.shape()[2])
    }
}

// ANCHOR: cached
impl MultiHeadAttention {
    /// Like [`Module::forward`], for positions that follow those in the cache.
    /// Appends their keys and values to the cache.
    #[track_caller]
    pub fn forward_after(&self, x: &Tensor, past: &mut KeysValues) -> Tensor {
        let [queries, keys, values] =
            split_heads(&self.qkv.forward(x), self.heads);
        let [keys, values] = match past.seen.take() {
            None => [keys, values],
            Some([k, v]) => [[k, keys], [v, values]]
                .map(|[before, now]| Tensor::cat(&[&before, &now], 2)),
        };
        let seen = queries.causal_attention(&keys, &values);
        past.seen = Some([keys, values]);
        let seen = seen.permute(&[0, 2, 1, 3]).reshape(x.shape());
        self.out.forward(&seen)
    }
}
// ANCHOR_END: cached
