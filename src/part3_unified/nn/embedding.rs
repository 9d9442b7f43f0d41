//! A table of rows, one for each word, and a module that adds to its input.

use std::fmt;

use super::super::Tensor;
use super::{Module, by_rows, init, parameters};
use crate::rng::Random;

/// A row of numbers for each word of a list, looked up by the word's number.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::nn::{Embedding, Module};
/// # use rungrad::rng::Random;
/// let letters = Embedding::new(27, 3, &mut Random::new(0));
/// let rows = letters.rows(&[4, 4, 0]);
/// assert_eq!(rows.shape(), [3, 3]);
/// let shares = Tensor::one_hot(&[4, 4, 0], 27, Device::Cpu)?;
/// assert_eq!(letters.forward(&shares).to_vec()?, rows.to_vec()?);
/// # Ok::<(), rungrad::Error>(())
/// ```
pub struct Embedding {
    /// Shape (words, width).
    pub weight: Tensor,
}

impl Embedding {
    /// Makes a table on the processor, of numbers that are drawn around 0 with
    /// standard deviation 1, as PyTorch does.
    ///
    /// # Panics
    ///
    /// If the host has no memory for so many.
    #[track_caller]
    pub fn new(words: usize, width: usize, random: &mut Random) -> Embedding {
        Embedding { weight: init::normal(&[words, width], 1.0, random) }
    }

    /// Looks up the row of each word: (n) -> (n, width). The gradient of a row
    /// is the sum over all places where its word stands.
    ///
    /// # Panics
    ///
    /// If there is no such word.
    #[track_caller]
    pub fn rows(&self, words: &[usize]) -> Tensor {
        self.weight.index_select(0, words)
    }
}

impl Module for Embedding {
    /// Mixes the rows by their shares: (.., words) -> (.., width). A share of
    /// 1 for one word is [`Embedding::rows`], by a product.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        by_rows(x, |rows| rows.matmul(&self.weight))
    }

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

/// Adds its input to what a module makes of it: a module that does nothing
/// yet changes nothing, and the gradient has a way past it.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::nn::{Module, Residual};
/// let x = Tensor::new(&[2], &[3.0, -1.0], Device::Cpu)?;
/// let block = Residual { inner: Tensor::relu };
/// assert_eq!(block.forward(&x).to_vec()?, [6.0, -1.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Debug)]
#[doc(alias = "SkipConnection")]
pub struct Residual<M> {
    /// What is added. It keeps the shape.
    pub inner: M,
}

// ANCHOR: residual
impl<M: Module> Module for Residual<M> {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.add(&self.inner.forward(x))
    }

    parameters!(inner);

    fn name(&self) -> String {
        format!("Residual {}", self.inner.name())
    }
}
// ANCHOR_END: residual
