//! The dropout layer.

use std::fmt;

use super::{Generator, Mode, Module, Parameters, parameters};
use crate::error::{mistake, or_raise};
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// During training, sets random elements to 0 and scales the others up to
/// preserve the mean, so that later layers cannot rely on any single element.
/// During evaluation, returns its input unchanged.
///
/// The dropped elements depend on the seed and the number of calls so far, and
/// are the same on every device. As in PyTorch, elements are dropped by
/// multiplying by 0, so that a dropped infinity or NaN becomes NaN; its
/// derivative is 0. With a share of 1, all elements are dropped.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{Dropout, Module};
/// # use rungrad::rng::Random;
/// let dropout = Dropout::new(0.5, &mut Random::new(0));
/// let x = Tensor::ones(&[4], Device::Cpu)?;
/// let y = dropout.forward(&x).to_vec()?;
/// assert!(y.iter().all(|y| *y == 0.0 || *y == 2.0));
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone)]
pub struct Dropout {
    /// The probability of dropping an element, from 0 to 1.
    #[doc(alias = "p")]
    pub share: f32,
    /// The source of random numbers.
    pub generator: Generator,
    /// Elements are dropped only in training mode.
    pub mode: Mode,
}

impl Dropout {
    /// Creates a layer with a random seed.
    ///
    /// # Panics
    ///
    /// If `share` is not from 0 to 1.
    #[track_caller]
    pub fn new(share: f32, random: &mut Random) -> Dropout {
        if !(0.0..=1.0).contains(&share) {
            mistake(format!(
                "Dropout: a share of {share} cannot be dropped; give a number \
                 from 0 to 1"
            ));
        }
        let generator = Generator::new(random);
        Dropout { share, generator, mode: Mode::default() }
    }
}

// ANCHOR: dropout
impl Module for Dropout {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        if !self.mode.is_training() || self.share == 0.0 {
            return x.clone();
        }
        let seed = self.generator.seed();
        let random = or_raise(Tensor::rand(x.shape(), seed, x.device()));
        let keep_mask = random.ge(&random.full_like(self.share));
        let keep_mask = or_raise(keep_mask.to_dtype(x.dtype()));
        let scale = match self.share {
            1.0 => 0.0,
            share => 1.0 / (1.0 - share),
        };
        x.mul(&keep_mask.scale(scale))
    }
}

impl Parameters for Dropout {
    parameters!(generator, mode);

    fn name(&self) -> String {
        format!("Dropout {}", self.share)
    }
}
// ANCHOR_END: dropout

impl fmt::Debug for Dropout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
