//! What a module keeps beside its parameters: no step changes it.
//!
//! All of it can be changed through a shared module, since a forward does:
//! a running mean goes on, and a generator counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{NamedParameters, Parameter, ParameterMut, Tensor};
use crate::rng::{self, Random};

/// What a module keeps beside its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    /// Numbers.
    Buffer(&'a Buffer),
    /// Where random numbers come from.
    Generator(&'a Generator),
    /// Whether it is being trained.
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

/// A tensor that is no parameter: a running mean. It is moved and saved with
/// them.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, nn::Buffer};
/// let count = Buffer::new(Tensor::zeros(&[], Device::Cpu)?);
/// count.set(count.get() + 1.0);
/// assert_eq!(count.get().item()?, 1.0);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer(Mutex<Tensor>);

impl Buffer {
    /// Keeps a tensor, out of the graph.
    pub fn new(tensor: Tensor) -> Buffer {
        Buffer(Mutex::new(tensor.detach()))
    }

    /// Returns the tensor.
    pub fn get(&self) -> Tensor {
        self.lock().clone()
    }

    /// Keeps another one instead, out of the graph.
    pub fn set(&self, tensor: Tensor) {
        *self.lock() = tensor.detach();
    }

    fn lock(&self) -> MutexGuard<'_, Tensor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seeds of random tensors, one after another: the n-th is computed from a
/// seed and n, so the two are all that is to be saved.
///
/// ```
/// use rungrad::part3_unified::nn::Generator;
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
    /// Begins with a seed that is drawn.
    pub fn new(random: &mut Random) -> Generator {
        let (seed, count) = (random.bits().into(), 0.into());
        Generator { seed, count }
    }

    /// Returns the next seed.
    pub fn seed(&self) -> u64 {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        rng::bits(self.seed.load(Ordering::Relaxed), count)
    }

    /// Returns its own seed, and how many it has given.
    pub fn state(&self) -> [u64; 2] {
        [&self.seed, &self.count].map(|part| part.load(Ordering::Relaxed))
    }

    /// Goes on from a state.
    pub fn set_state(&self, [seed, count]: [u64; 2]) {
        self.seed.store(seed, Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
    }
}

/// Whether a module is being trained, which is how it begins.
///
/// ```
/// use rungrad::part3_unified::nn::Mode;
/// assert!(Mode::default().is_training());
/// ```
#[derive(Debug)]
pub struct Mode(AtomicBool);

impl Default for Mode {
    fn default() -> Mode {
        Mode(true.into())
    }
}

impl Mode {
    /// Says whether the module is being trained.
    pub fn is_training(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A field of a module that is no parameter, and is listed among what is kept.
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
