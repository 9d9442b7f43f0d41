//! Weight initialization: creates random leaves on the CPU.
//!
//! [`Linear::new`] and [`Conv2d::new`] use normally distributed weights,
//! scaled for layers that are followed by a ReLU. Their `kaiming_uniform`
//! constructors match PyTorch's default.
//!
//! [`Linear::new`]: super::Linear::new
//! [`Conv2d::new`]: super::Conv2d::new

use crate::error::{or_raise, room};
use crate::part3_unified::{Device, Tensor};
use crate::rng::Random;
use crate::shape::checked_size;

/// Creates a leaf of normally distributed numbers with mean 0.
///
/// ```
/// use rungrad::nn::init;
/// use rungrad::rng::Random;
///
/// let weight = init::normal(&[100, 100], 0.02, &mut Random::new(0));
/// assert!((weight.std().item()? - 0.02).abs() < 1e-3);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the host is out of memory.
#[track_caller]
pub fn normal(shape: &[usize], deviation: f32, random: &mut Random) -> Tensor {
    leaf_from(shape, || deviation * random.normal())
}

/// Creates a leaf of numbers that are uniformly distributed in [-bound,
/// bound).
///
/// # Panics
///
/// If the host is out of memory.
#[track_caller]
pub fn uniform(shape: &[usize], bound: f32, random: &mut Random) -> Tensor {
    leaf_from(shape, || bound * (2.0 * random.uniform() - 1.0))
}

/// Creates a leaf of uniformly distributed weights for a layer with `inputs`
/// inputs per output. If the layer is followed by a leaky ReLU with slope `a`,
/// the outputs keep the variance of the inputs. PyTorch's layers use
/// `a = sqrt(5)`, which makes the bound `1 / sqrt(inputs)`.
///
/// ```
/// use rungrad::nn::init;
/// use rungrad::rng::Random;
///
/// let a = 5f32.sqrt();
/// let weight = init::kaiming_uniform(&[64, 10], 64, a, &mut Random::new(0));
/// assert!(weight.abs().max().item()? <= 0.125);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the host is out of memory.
#[track_caller]
pub fn kaiming_uniform(
    shape: &[usize],
    inputs: usize,
    a: f32,
    random: &mut Random,
) -> Tensor {
    let variance = 2.0 / ((1.0 + a * a) * inputs as f32);
    // The variance of a uniform distribution in ±bound is bound^2 / 3.
    uniform(shape, (3.0 * variance).sqrt(), random)
}

/// Creates a leaf with the same number everywhere.
#[track_caller]
pub(super) fn filled(shape: &[usize], number: f32) -> Tensor {
    leaf_from(shape, || number)
}

#[track_caller]
fn leaf_from(shape: &[usize], mut number: impl FnMut() -> f32) -> Tensor {
    let count = or_raise(checked_size(shape));
    let mut values = or_raise(room(count));
    values.extend((0..count).map(|_| number()));
    or_raise(Tensor::new(shape, &values, Device::Cpu)).requires_grad()
}
