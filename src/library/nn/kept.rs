//! The state of a module besides its parameters, which optimizers do not
//! update.
//!
//! It has interior mutability, because `forward` takes `&self` but updates
//! running means and advances generators.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{NamedParameters, Parameter, ParameterMut, Tensor};
use crate::rng::{self, Random};

/// A part of a module's state besides its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    /// A tensor, such as a running mean.
    Buffer(&'a Buffer),
    /// A random number generator.
    Generator(&'a Generator),
    /// Training or evaluation mode.
    Mode(&'a Mode),
}

impl<'a> Kept<'a> {
    pub(super) fn buffer(self) -> Option<&'a Buffer> {
        match self {
            Kept::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    pub(super) fn generator(self) -> Option<&'a Generator> {
        match self {
            Kept::Generator(generator) => Some(generator),
            _ => None,
        }
    }
}

pub(super) fn set_modes(kept: Vec<(String, Kept)>, is_training: bool) {
    for (_, it) in kept {
        if let Kept::Mode(mode) = it {
            mode.0.store(is_training, Ordering::Relaxed);
        }
    }
}

/// A tensor that is not a parameter, such as a running mean. It is moved and
/// saved with the parameters.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::Buffer;
/// let count = Buffer::new(Tensor::zeros(&[], Device::Cpu)?);
/// count.set(count.get() + 1.0);
/// assert_eq!(count.get().item()?, 1.0);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer(Mutex<Tensor>);

impl Buffer {
    /// Creates a buffer from a tensor, detached from its graph.
    pub fn new(tensor: Tensor) -> Buffer {
        Buffer(Mutex::new(tensor.detach()))
    }

    /// Returns the tensor.
    pub fn get(&self) -> Tensor {
        self.lock().clone()
    }

    /// Replaces the tensor with another one, detached from its graph.
    pub fn set(&self, tensor: Tensor) {
        *self.lock() = tensor.detach();
    }

    fn lock(&self) -> MutexGuard<'_, Tensor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clone is independent.
impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::new(self.get())
    }
}

/// A sequence of seeds for random tensors. The n-th seed is computed from the
/// initial seed and n, so these two numbers are the whole state.
///
/// ```
/// use rungrad::nn::Generator;
/// use rungrad::rng::Random;
///
/// let generator = Generator::new(&mut Random::new(7));
/// let state = generator.state();
/// let first = generator.seed();
/// assert_ne!(generator.seed(), first);
/// generator.set_state(state);
/// assert_eq!(generator.seed(), first);
/// ```
#[derive(Debug)]
pub struct Generator {
    seed: AtomicU64,
    count: AtomicU64,
}

impl Generator {
    /// Creates a generator with a random seed.
    pub fn new(random: &mut Random) -> Generator {
        let (seed, count) = (random.bits().into(), 0.into());
        Generator { seed, count }
    }

    /// Returns the next seed of the sequence.
    pub fn seed(&self) -> u64 {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        rng::bits(self.seed.load(Ordering::Relaxed), count)
    }

    /// Returns the initial seed, and the number of seeds returned so far.
    pub fn state(&self) -> [u64; 2] {
        [&self.seed, &self.count].map(|part| part.load(Ordering::Relaxed))
    }

    /// Restores a state returned by [`Generator::state`].
    pub fn set_state(&self, [seed, count]: [u64; 2]) {
        self.seed.store(seed, Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
    }
}

/// The clone continues the same sequence independently.
impl Clone for Generator {
    fn clone(&self) -> Generator {
        let [seed, count] = self.state();
        Generator { seed: seed.into(), count: count.into() }
    }
}

/// Whether a module is in training mode, which is the initial mode.
///
/// ```
/// use rungrad::nn::Mode;
/// assert!(Mode::default().is_training());
/// ```
#[derive(Debug)]
pub struct Mode(AtomicBool);

impl Default for Mode {
    fn default() -> Mode {
        Mode(true.into())
    }
}

impl Clone for Mode {
    fn clone(&self) -> Mode {
        Mode(self.is_training().into())
    }
}

impl Mode {
    /// Returns `true` in training mode.
    pub fn is_training(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Implements [`NamedParameters`] for a field that is not a parameter.
macro_rules! fields {
    ($($field:ident),*) => {$(
        impl NamedParameters for $field {
            fn named(&self, _: &str) -> Vec<Parameter<'_>> {
                Vec::new()
            }

            fn named_mut(&mut self, _: &str) -> Vec<ParameterMut<'_>> {
                Vec::new()
            }

            fn named_kept(&self, name: &str) -> Vec<(String, Kept<'_>)> {
                vec![(name.to_string(), Kept::$field(self))]
            }
        }
    )*};
}

fields!(Buffer, Generator, Mode);
