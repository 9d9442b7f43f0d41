//! The embedding layer, and residual connections.

use std::fmt;

use super::{Module, Parameters, affine, init, parameters};
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// A table with one trainable row per token; tokens are looked up by number.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{Embedding, Module};
/// # use rungrad::rng::Random;
/// let letters = Embedding::new(27, 3, &mut Random::new(0));
/// let rows = letters.rows(&[4, 4, 0]);
/// assert_eq!(rows.shape(), [3, 3]);
/// let shares = Tensor::one_hot(&[4, 4, 0], 27, Device::Cpu)?;
/// assert_eq!(letters.forward(&shares).to_vec()?, rows.to_vec()?);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone)]
pub struct Embedding {
    /// Shape (words, width).
    pub weight: Tensor,
}

impl Embedding {
    /// Creates a table on the CPU with normally distributed weights, mean 0
    /// and standard deviation 1, as in PyTorch.
    ///
    /// # Panics
    ///
    /// If the host is out of memory.
    #[track_caller]
    pub fn new(words: usize, width: usize, random: &mut Random) -> Embedding {
        Embedding { weight: init::normal(&[words, width], 1.0, random) }
    }

    /// Returns the row of each token: (n) -> (n, width). The gradient of a row
    /// is the sum over all occurrences of its token.
    ///
    /// # Panics
    ///
    /// If a token is out of range.
    #[track_caller]
    pub fn rows(&self, words: &[usize]) -> Tensor {
        self.weight.index_select(0, words)
    }
}

impl Module for Embedding {
    /// Multiplies by the table: (.., words) -> (.., width). A one-hot input
    /// selects a row, as [`Embedding::rows`] does.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        affine(x, &self.weight, None)
    }
}

impl Parameters for Embedding {
    parameters!(weight);

    fn name(&self) -> String {
        format!("Embedding {:?}", self.weight.shape())
    }
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// Adds a module's output to its input. A module that outputs 0 then has no
/// effect, and the gradient also flows directly to the input.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{Module, Residual};
/// let x = Tensor::new(&[2], &[3.0, -1.0], Device::Cpu)?;
/// let block = Residual { inner: Tensor::relu };
/// assert_eq!(block.forward(&x).to_vec()?, [6.0, -1.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "SkipConnection")]
pub struct Residual<M> {
    /// The wrapped module. Its output must have the shape of its input.
    pub inner: M,
}

// ANCHOR: residual
impl<M: Module> Module for Residual<M> {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.add(&self.inner.forward(x))
    }
}

impl<M: Module> Parameters for Residual<M> {
    parameters!(inner);

    fn name(&self) -> String {
        format!("Residual {}", self.inner.name())
    }
}
// ANCHOR_END: residual
