//! A layer that forgets while it is trained.

use std::fmt;

use super::super::Tensor;
use super::{Generator, Mode, Module, parameters};
use crate::error::{mistake, or_raise};
use crate::rng::Random;

/// Puts a 0 in the place of some of the elements, by chance, while it is
/// trained, and scales the others up so that their mean stays: no layer
/// behind it can lean on a single one. In evaluation it changes nothing.
///
/// Which elements are dropped follows from the seed and from the number of calls
/// so far, and is the same on every device. A share of 1 drops all of them. As
/// in PyTorch, an element is dropped by a multiplication by 0, so an infinity or
/// a NaN becomes NaN when it is dropped; its derivative is 0.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::nn::{Dropout, Module};
/// # use rungrad::rng::Random;
/// let dropout = Dropout::new(0.5, &mut Random::new(0));
/// let x = Tensor::ones(&[4], Device::Cpu)?;
/// let y = dropout.forward(&x).to_vec()?;
/// assert!(y.iter().all(|y| *y == 0.0 || *y == 2.0));
/// # Ok::<(), rungrad::Error>(())
/// ```
pub struct Dropout {
    /// The share that is dropped, from 0 to 1.
    #[doc(alias = "p")]
    pub share: f32,
    /// Where the random numbers come from.
    pub generator: Generator,
    /// Whether it drops.
    pub mode: Mode,
}

impl Dropout {
    /// Makes a layer with a seed that is drawn.
    ///
    /// # Panics
    ///
    /// If the share is not from 0 to 1.
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
        let drawn = or_raise(Tensor::rand(x.shape(), seed, x.device()));
        let stay = drawn.ge(&drawn.full_like(self.share));
        let stay = or_raise(stay.to_dtype(x.dtype()));
        let scale = match self.share {
            1.0 => 0.0,
            share => 1.0 / (1.0 - share),
        };
        x.mul(&stay.scale(scale))
    }

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
